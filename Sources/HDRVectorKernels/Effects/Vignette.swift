import CSIMD

/// Darkens pixels by their distance from the centre.
@inline(never)
func applyVignette(_ plan: UnsafePointer<KernelVignette>, _ light: KernelLightRows, _ count: Int) {
    let rows = Rows(light.red, light.green, light.blue)
    let columns = plan.pointee.columns
    let offset = cv_splat((plan.pointee.row - plan.pointee.start) * plan.pointee.scale)
    let (scale, strength) = (cv_splat(plan.pointee.scale), cv_splat(plan.pointee.strength))
    let (zero, one, two) = (cv_splat(0), cv_splat(1), cv_splat(2))
    eachVector(count) { i in
        let distance = cv_max(cv_fma(cv_load(columns + i), scale, offset), zero)
        // A step of Newton's method doubles the exact bits; a division would take longer than all the rest.
        let divisor = cv_fma(distance, strength, one)
        let falloff = cv_reciprocal(divisor)
        Pixels(rows, i).scaled(cv_square(falloff * (two - divisor * falloff))).store(rows, i)
    }
}
