internal import Foundation

/// Pixels as whole numbers, whose bytes in memory are red, green, blue and alpha.
typealias PixelMemory = RefusableMemory<UInt32>

/// Memory in proportion to a picture. It may be refused, where Swift's own arrays would end the process.
///
/// Whoever makes it fills it. Once others can see it nobody writes to it any more, and that makes it `Sendable`.
final class RefusableMemory<Element: BitwiseCopyable>: @unchecked Sendable {
    let start: UnsafeMutablePointer<Element>
    let count: Int

    /// Room for `count` elements, not zeroed.
    ///
    /// - Throws: ``ImageCodecError/noMemory``.
    init(count: Int) throws {
        let (bytes, overflow) = count.multipliedReportingOverflow(by: MemoryLayout<Element>.stride)
        guard !overflow, let memory = malloc(max(bytes, 1)) else { throw ImageCodecError.noMemory }
        start = memory.bindMemory(to: Element.self, capacity: count)
        self.count = count
    }

    deinit { free(start) }

    subscript(index: Int) -> Element {
        get { start[index] }
        set { start[index] = newValue }
    }
}

extension PixelMemory {
    /// Throws ``ImageCodecError/noMemory`` unless so many bytes can be had now, and a megabyte for what cannot be refused: the
    /// small objects of the runtime.
    static func expect(byteCount: Int) throws {
        let (length, overflow) = byteCount.addingReportingOverflow(1 << 20)
        // Not malloc: a compiler may leave out a block that nobody uses.
        let place = mmap(nil, overflow ? .max : length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let place, place != UnsafeMutableRawPointer(bitPattern: -1) else { throw ImageCodecError.noMemory }
        munmap(place, length)
    }
}
