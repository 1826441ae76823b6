#if HDR_WORD_TABLES
    import CSIMD

    typealias Words = UnsafeMutablePointer<UInt16>

    /// A row of chroma and one that is mixed with it, Cb and Cr in turn, whose first column is the chunk's. There is one
    /// column more on either side.
    struct WordChroma {
        let near: UnsafePointer<UInt16>, far: UnsafePointer<UInt16>
        /// Weight of the far row, 0, 1/4 or 1/2.
        let weight: Float
    }

    /// Brings chroma to luma's positions: 16 columns make 32 words of Cb and of Cr, whose grey is 0. Chroma that
    /// `WordQuarters` takes does not come here; a row that is its own neighbour is mixed with itself.
    func spread(_ plan: UnsafePointer<WordPlan>, _ chroma: WordChroma, _ count: Int, _ cb: Words, _ cr: Words) {
        if plan.pointee.is_nearest != 0 {
            spread(WordRow.self, WordNearest.self, chroma, count, cb, cr)
        } else if plan.pointee.source_cosited_x != 0 {
            spread(WordHalf.self, WordCosited.self, chroma, count, cb, cr)
        } else if chroma.weight == 0.5 {
            spread(WordHalf.self, WordCentred.self, chroma, count, cb, cr)
        } else {
            spread(WordQuarter.self, WordCentred.self, chroma, count, cb, cr)
        }
    }

    @inline(never)
    private func spread<Vertical: WordMix, Horizontal: WordSpread>(
        _ vertical: Vertical.Type, _ horizontal: Horizontal.Type, _ chroma: WordChroma, _ count: Int, _ cb: Words,
        _ cr: Words
    ) {
        @inline(__always) func column(_ i: Int) -> W {
            vertical.mix(cv_load_w(chroma.near + i), cv_load_w(chroma.far + i))
        }
        var i = 0
        while i < count {
            let (even, odd) = horizontal.spread(i, column)
            cv_store_w(cb + i, cv_centre(cv_join(even, cv_to_higher(odd))))
            cv_store_w(cr + i, cv_centre(cv_join(cv_to_lower(even), odd)))
            i &+= wordLanes
        }
    }

    protocol WordMix {
        static func mix(_ near: W, _ far: W) -> W
    }
    enum WordRow: WordMix {
        @inline(__always) static func mix(_ near: W, _ far: W) -> W { near }
    }
    enum WordHalf: WordMix {
        @inline(__always) static func mix(_ near: W, _ far: W) -> W { cv_mean(near, far) }
    }
    enum WordQuarter: WordMix {
        @inline(__always) static func mix(_ near: W, _ far: W) -> W { cv_mean(near, cv_mean(near, far)) }
    }

    /// Even and odd columns of luma, from the chroma column of two words at `i`.
    protocol WordSpread {
        static func spread(_ i: Int, _ column: (Int) -> W) -> (W, W)
    }
    enum WordNearest: WordSpread {
        @inline(__always) static func spread(_ i: Int, _ column: (Int) -> W) -> (W, W) { (column(i), column(i)) }
    }
    enum WordCosited: WordSpread {
        @inline(__always) static func spread(_ i: Int, _ column: (Int) -> W) -> (W, W) {
            let even = column(i)
            return (even, cv_mean(even, column(i &+ 2)))
        }
    }
    enum WordCentred: WordSpread {
        @inline(__always) static func spread(_ i: Int, _ column: (Int) -> W) -> (W, W) {
            let own = column(i)
            return (cv_mean(own, cv_mean(own, column(i &- 2))), cv_mean(own, cv_mean(own, column(i &+ 2))))
        }
    }

    /// Where the words of a chunk come from: luma with its highest bit below the word's, and Cb and Cr, whose grey is 0.
    protocol WordSource {
        func callAsFunction(_ i: Int) -> (luma: W, cb: W, cr: W)
    }

    /// Rows with a sample for each pixel.
    struct WordSamples: WordSource {
        let luma: UnsafePointer<UInt16>
        let cb: Words, cr: Words

        @inline(__always) func callAsFunction(_ i: Int) -> (luma: W, cb: W, cr: W) {
            (cv_half_w(cv_load_w(luma + i)), cv_load_w(cb + i), cv_load_w(cr + i))
        }
    }

    /// Chroma at every second column, and a quarter of a row away from luma, or none.
    struct WordQuarters: WordSource {
        let luma: UnsafePointer<UInt16>
        let chroma: WordChroma

        @inline(__always) func callAsFunction(_ i: Int) -> (luma: W, cb: W, cr: W) {
            let (even, odd) = WordCosited.spread(i) {
                WordQuarter.mix(cv_load_w(chroma.near + $0), cv_load_w(chroma.far + $0))
            }
            return (
                cv_half_w(cv_load_w(luma + i)), cv_centre(cv_join(even, cv_to_higher(odd))),
                cv_centre(cv_join(cv_to_lower(even), odd))
            )
        }
    }

    /// What is done with colour differences.
    protocol WordDifferences {
        init(_ plan: UnsafePointer<WordPlan>, _ output: WordOutput)
        /// Where nothing is to the left of the first vector.
        mutating func begin(_ first: WordDifference)
        mutating func store(_ difference: WordDifference, _ i: Int)
        func end()
    }

    /// They are kept as they are.
    struct WordWhole: WordDifferences {
        private let output: WordOutput

        @inline(__always) init(_ plan: UnsafePointer<WordPlan>, _ output: WordOutput) { self.output = output }
        @inline(__always) func begin(_ first: WordDifference) {}
        @inline(__always) func store(_ difference: WordDifference, _ i: Int) {
            cv_store_w(output.blue + i, difference.blue)
            cv_store_w(output.red + i, difference.red)
        }
        @inline(__always) func end() {}
    }

    /// They are halved horizontally: Cb and Cr in turn, whose sum of four is a code.
    struct WordHalved: WordDifferences {
        private let output: WordOutput
        private let blueOwn: W, blueLeft: W, redOwn: W, redLeft: W
        /// What rounds to the higher word.
        private let half: W
        private var blue: W, red: W

        @inline(__always) init(_ plan: UnsafePointer<WordPlan>, _ output: WordOutput) {
            self.output = output
            let (cb, cr) = (word_halving(plan, 0)!, word_halving(plan, 1)!)
            blueOwn = cv_splat_pair(cb[0], cb[1])
            blueLeft = cv_splat_pair(0, cb[2])
            redOwn = cv_splat_pair(cr[0], cr[1])
            redLeft = cv_splat_pair(0, cr[2])
            half = cv_splat_pair(-0x8000, 0)
            blue = cv_load_w(output.carried)
            red = cv_load_w(output.carried + wordLanes)
        }

        @inline(__always) mutating func begin(_ first: WordDifference) {
            blue = cv_first_word(first.blue)
            red = cv_first_word(first.red)
        }

        @inline(__always) mutating func store(_ difference: WordDifference, _ i: Int) {
            let cb = halved(difference.blue, blueOwn, cv_after(blue, difference.blue), blueLeft)
            let cr = halved(difference.red, redOwn, cv_after(red, difference.red), redLeft)
            cv_store_w(output.pairs + i, cv_join(cv_to_lower(cb), cr))
            (blue, red) = (difference.blue, difference.red)
        }

        /// In the higher word of each 32 bits.
        @inline(__always) private func halved(_ x: W, _ own: W, _ left: W, _ weight: W) -> W {
            cv_add_i32(cv_add_i32(cv_dot(x, own), half), cv_dot(left, weight))
        }

        @inline(__always) func end() {
            cv_store_w(output.carried, blue)
            cv_store_w(output.carried + wordLanes, red)
        }
    }

    /// Sums up a halved row, once with the rows above and below and twice by itself; `upper` becomes the result.
    @inline(never)
    func sum(_ above: Words, _ upper: Words, _ lower: Words, _ count: Int) {
        var i = 0
        while i < count {
            let own = cv_load_w(upper + i)
            let outer = cv_add_w(cv_load_w(above + i), cv_load_w(lower + i))
            cv_store_w(upper + i, cv_add_w(cv_add_w(own, own), outer))
            i &+= wordLanes
        }
    }

    /// Puts Cr before Cb.
    @inline(never)
    func swapPairs(_ pairs: Words, _ count: Int) {
        var i = 0
        while i < count {
            let pair = cv_load_w(pairs + i)
            cv_store_w(pairs + i, cv_join(cv_to_lower(pair), cv_to_higher(pair)))
            i &+= wordLanes
        }
    }

    @inline(never)
    func copy(_ from: Words, _ to: Words, _ count: Int) {
        var i = 0
        while i < count {
            cv_store_w(to + i, cv_load_w(from + i))
            i &+= wordLanes
        }
    }
#endif
