#if ImageCodecs && os(Linux)
    import Foundation
    import HalcyonImageCodecs

    /// Composes animations chunk by chunk, from stills of the encoder.
    struct TinyWebP {
        struct Frame {
            var left = 0
            var top = 0
            var bitmap: Bitmap
            var milliseconds = 100
            var replaces = false
            var isDisposed = false
        }

        var width: Int
        var height: Int
        var loopCount = 0
        var frames: [Frame] = []
        /// Chunks between the header and the frames.
        var more = Data()

        var data: Data {
            get throws {
                var body = Self.chunk(
                    "VP8X", 0x12.littleBytes(4) + (width - 1).littleBytes(3) + (height - 1).littleBytes(3))
                body += Self.chunk("ANIM", 0xFF12_3456.littleBytes(4) + loopCount.littleBytes(2)) + more
                for frame in frames { body += Self.chunk("ANMF", try Self.content(of: frame)) }
                return Self.file(body)
            }
        }

        private static func content(of frame: Frame) throws -> [UInt8] {
            let size = frame.bitmap.size
            let numbers = [frame.left / 2, frame.top / 2, size.width - 1, size.height - 1, frame.milliseconds]
            let flags: UInt8 = (frame.replaces ? 2 : 0) | (frame.isDisposed ? 1 : 0)
            let still = try ImageEncoder.webp([.init(bitmap: frame.bitmap)], quality: 1)
            return numbers.flatMap { $0.littleBytes(3) } + [flags] + still.dropFirst(12)
        }

        /// A still with the extended header, made from a plain still, and turned by EXIF.
        static func turned(_ still: Data, size: PixelSize, orientation: Int) -> Data {
            let exif = EXIFSample(orientation: orientation, isBigEndian: false).tiff
            let numbers = 0x08.littleBytes(4) + (size.width - 1).littleBytes(3) + (size.height - 1).littleBytes(3)
            return file(chunk("VP8X", numbers) + still.dropFirst(12) + chunk("EXIF", exif))
        }

        /// A lossless bitstream of one color, in eight bytes: each of its five codes has one symbol, which takes no bits.
        static func plain(width: Int, height: Int) -> Data {
            chunk("VP8L", [0x2F] + ((width - 1) | (height - 1) << 14).littleBytes(4) + [0x88, 0x88, 0x08])
        }

        /// A frame that states a size, with its own chunks.
        static func frame(
            left: Int = 0, top: Int = 0, width: Int, height: Int, flags: UInt8 = 0, _ content: Data = Data()
        ) -> Data {
            let numbers = [left / 2, top / 2, width - 1, height - 1, 100].flatMap { $0.littleBytes(3) }
            return chunk("ANMF", numbers + [flags] + content)
        }

        /// An animation of frames made with ``frame(left:top:width:height:flags:_:)``.
        static func animation(width: Int, height: Int, _ frames: Data) -> Data {
            let header = 0x12.littleBytes(4) + (width - 1).littleBytes(3) + (height - 1).littleBytes(3)
            return file(chunk("VP8X", header) + frames)
        }

        static func chunk(_ type: String, _ content: [UInt8]) -> Data {
            Data(Array(type.utf8) + content.count.littleBytes(4) + content + (content.count % 2 == 1 ? [0] : []))
        }

        static func file(_ body: Data) -> Data {
            Data("RIFF".utf8) + (body.count + 4).littleBytes(4) + Data("WEBP".utf8) + body
        }
    }
#endif
