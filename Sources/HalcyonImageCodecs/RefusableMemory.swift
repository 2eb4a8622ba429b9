internal import Foundation

/// Pixels as integers, whose bytes in memory are red, green, blue and alpha.
typealias PixelMemory = RefusableMemory<UInt32>

/// Memory for image-sized buffers. Its allocation can fail with an error, where Swift's arrays would end the process.
///
/// The code that creates the memory fills it before another thread can see it.
final class RefusableMemory<Element: BitwiseCopyable>: @unchecked Sendable {
    // Sendable without a lock, because nothing writes to it once it is shared.
    let start: UnsafeMutablePointer<Element>
    let count: Int

    /// Allocates `count` elements, not zeroed.
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
    var isZero: Bool { UnsafeBufferPointer(start: start, count: count).allSatisfy { $0 == 0 } }

    /// Throws ``ImageCodecError/noMemory`` unless this many bytes are available now, plus a megabyte for the runtime's small
    /// objects, whose allocation cannot fail with an error.
    static func expect(byteCount: Int) throws {
        let (length, overflow) = byteCount.addingReportingOverflow(1 << 20)
        // Not malloc: a compiler may remove the allocation of an unused block.
        let place = mmap(nil, overflow ? .max : length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let place, place != UnsafeMutableRawPointer(bitPattern: -1) else { throw ImageCodecError.noMemory }
        munmap(place, length)
    }
}
