#if ImageCodecs && os(Linux)
    import Foundation
    import HalcyonImageCodecs
    import HalcyonTestSupport
    import Testing

    /// Thousands of damaged files. Each one decodes to a picture or an error, quickly and in little memory. Also meant for the address
    /// sanitizer.
    @Suite struct MutationTests {
        private static let mutationsPerFile = 400

        /// Small limits, to find numbers that slip past them.
        private var options: DecodingOptions {
            var options = DecodingOptions()
            options.pixelLimit = 1_000_000
            options.totalPixelLimit = 2_000_000
            return options
        }

        @Test(arguments: Samples.names)
        func `a damaged file decodes to a picture or an error`(name: String) throws {
            let original = try Samples.data(name)
            try survive(original, mutator: Mutator(seededFor: name, isPNG: name.hasSuffix("png")))
        }

        @Test func `a damaged PNG of each kind decodes to a picture or an error`() throws {
            for kind in PNGTests.Kind.all {
                let original = kind.png(width: 33, height: 9).data
                try survive(original, mutator: Mutator(seededFor: kind.description, isPNG: true), count: 100)
            }
        }

        @Test(arguments: 0...3)
        func `a damaged animation decodes to pictures or an error`(disposal: Int) throws {
            var frame = TinyGIF.Frame(left: 2, top: 3, width: 9, height: 7, indexes: (0..<63).map { $0 % 4 })
            frame.disposal = disposal
            frame.transparent = 2
            frame.isInterlaced = disposal % 2 == 0
            var gif = TinyGIF(width: 12, height: 9, loopCount: 0, frames: [frame, frame, frame])
            gif.frames[1].palette = TinyGIF.fourColours
            try survive(gif.data, mutator: Mutator(seededFor: "disposal \(disposal)", isPNG: false))
        }

        private func survive(_ original: Data, mutator: Mutator, count: Int = mutationsPerFile) throws {
            var mutator = mutator
            let memory = try PeakMemory()
            for _ in 0..<count {
                let damaged = mutator.damage(original)
                check(damaged)
            }
            #expect(try memory.hasGrown(byLessThan: 256_000_000))
        }

        private func check(_ damaged: Data) {
            let header = try? ImageHeader(data: damaged)
            do {
                let image = try ImageDecoder.decode(damaged, options: options)
                #expect(header?.size == image.size)
                #expect(image.size.pixelCount * image.frames.count <= options.totalPixelLimit)
                #expect(image.frames.allSatisfy { $0.bitmap.size == image.size })
            } catch {
                #expect(error is ImageCodecError, "\(error)")
            }
        }
    }

    /// Damages files in ways that have broken decoders: flipped bits, missing ends, wild numbers, repeated or missing parts.
    private struct Mutator {
        private var generator: SeededGenerator
        private let isPNG: Bool

        /// The same in each run with one seed, whatever else runs at the same time.
        init(seededFor name: String, isPNG: Bool) {
            var run = SeededGenerator.ofThisRun
            let own = name.utf8.reduce(run.next()) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
            generator = SeededGenerator(seed: own)
            self.isPNG = isPNG
        }

        mutating func damage(_ original: Data) -> Data {
            var bytes = Array(original)
            for _ in 0..<Int.random(in: 1...4, using: &generator) { damageOnce(&bytes) }
            // With wrong checksums, libpng would read no further than the first chunk.
            if isPNG, Int.random(in: 0..<4, using: &generator) > 0 { PNGChecksums.repair(&bytes) }
            return Data(bytes)
        }

        private mutating func damageOnce(_ bytes: inout [UInt8]) {
            guard bytes.count > 16 else { return }
            let place = Int.random(in: 0..<bytes.count - 4, using: &generator)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0...2: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 3: bytes[place] = UInt8.random(in: 0...255, using: &generator)
            case 4: bytes.replaceSubrange(place..<place + 2, with: wildNumber.bytes(2))
            case 5: bytes.replaceSubrange(place..<place + 4, with: wildNumber.bytes(4))
            case 6: bytes.removeSubrange(place..<min(place + shortLength, bytes.count))
            default: repeatPart(of: &bytes, from: place)
            }
            if Int.random(in: 0..<10, using: &generator) == 0 { bytes.removeLast(min(shortLength, bytes.count)) }
        }

        private var wildNumber: Int {
            mutating get {
                [0, 1, 2, 0x7F, 0xFF, 0x100, 0x7FFF, 0xFFFF, 0x7FFF_FFFF, -1].randomElement(using: &generator) ?? 0
            }
        }

        private var shortLength: Int { mutating get { Int.random(in: 1...40, using: &generator) } }

        private mutating func repeatPart(of bytes: inout [UInt8], from place: Int) {
            let part = bytes[place..<min(place + shortLength, bytes.count)]
            bytes.insert(contentsOf: part, at: Int.random(in: 0...bytes.count, using: &generator))
        }
    }

    private enum PNGChecksums {
        /// Repairs the checksum of each chunk, as far as the lengths lead.
        static func repair(_ bytes: inout [UInt8]) {
            var start = 8
            while start + 12 <= bytes.count {
                let length = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
                let end = start + 8 + length
                guard end + 4 <= bytes.count else { return }
                let sum = TinyPNG.crc(bytes[start + 4..<end])
                bytes.replaceSubrange(end..<end + 4, with: Int(sum).bytes(4))
                start = end + 4
            }
        }
    }
#endif
