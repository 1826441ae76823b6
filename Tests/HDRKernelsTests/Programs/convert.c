/* Runs a conversion by the kernels of this program's own architecture, as a file has it that another program wrote: a
 * KernelPlan, the source's and the target's KernelFrame, and all the memory that these point to. Pointers are distances
 * from the start of the file. Writes the file's bytes with the target's planes in them.
 *
 * Usage: convert INPUT OUTPUT; the exit status says which step failed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "KernelTable.h"

int main(int count, char **arguments) {
    if (count != 3)
        return 2;
    FILE *file = fopen(arguments[1], "rb");
    if (!file || fseek(file, 0, SEEK_END))
        return 3;
    long size = ftell(file);
    rewind(file);
    char *base = aligned_alloc(64, (size + 63) / 64 * 64);
    if (!base || fread(base, 1, size, file) != (size_t)size)
        return 4;
    fclose(file);

    KernelPlan *plan = (KernelPlan *)base;
    KernelFrame *source = (KernelFrame *)(plan + 1), *target = source + 1;
    KernelColor *color = &plan->color;
    KernelPerceptual *perceptual = &color->perceptual;
    KernelCurve *curves[] = {&color->eotf,          &color->ootf,       &color->inverse_ootf, &color->curve,
                             &color->compand,       &color->expand,     &color->oetf,         &color->recovery_signal,
                             &color->recovery_gain, &perceptual->signal};
#define MOVE(pointer) \
    if (pointer)      \
    pointer = (void *)((uintptr_t)base + (uintptr_t)(pointer))
    for (unsigned i = 0; i < sizeof curves / sizeof *curves; i++) {
        MOVE(curves[i]->table);
        MOVE(curves[i]->knots);
        MOVE(curves[i]->logarithm);
    }
    MOVE(perceptual->reach);
    MOVE(plan->bias);
    MOVE(plan->cells);
    MOVE(plan->cell_gains);
    for (int i = 0; i < 4; i++) {
        MOVE(source->data[i]);
        MOVE(target->data[i]);
    }

    KernelTable kernels = kernel_table_baseline();
    intptr_t scratch = (kernels.scratch_size(source->width) + 127) / 64 * 64;
    void *memory = aligned_alloc(64, scratch);
    if (!memory)
        return 5;
    if (plan->cells) {
        intptr_t rows = (source->height + 7) / 8;
        kernels.measure_cells(plan, source, 0, rows, memory);
        kernels.smooth_cells(plan, source, 0, rows, memory);
    }
    kernels.convert_slice(plan, source, target, 0, source->height, memory);

    file = fopen(arguments[2], "wb");
    if (!file || fwrite(base, 1, size, file) != (size_t)size || fclose(file))
        return 6;
    return 0;
}
