import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@testable import Halcyon

/// One call on a cache, or a moment from which none of its work on disk begins, or begins again.
private enum CacheAct: Equatable, Sendable {
    struct Name: Hashable, Sendable, CustomDebugStringConvertible {
        var key = "a"
        var processor = ""

        var debugDescription: String { processor.isEmpty ? key : "\(key) by \(processor)" }

        static let all = ["a", "b"].flatMap { key in ["", "p"].map { Name(key: key, processor: $0) } }
    }

    case store(Name, Int)
    case storeInMemory(Name, Int)
    case storeToDisk(Name, Int)
    case remove(Name, fromMemory: Bool, fromDisk: Bool)
    case removeVariants(String, fromMemory: Bool, fromDisk: Bool)
    case clearMemory, clearDisk, clear
    case load(Name)
    case loadNow(Name)
    case loadFromDisk(Name)
    case fetch(Name, Int)
    case clean
    case pause, resume

    static func random(using generator: inout some RandomNumberGenerator) -> CacheAct {
        let name = Name.all.randomElement(using: &generator) ?? Name()
        let number = Int.random(in: 0..<4, using: &generator)
        let (first, second) = (Bool.random(using: &generator), Bool.random(using: &generator))
        switch Int.random(in: 0..<32, using: &generator) {
        case 0..<5: return .store(name, number)
        case 5..<7: return .storeInMemory(name, number)
        case 7..<11: return .storeToDisk(name, number)
        case 11..<14: return .remove(name, fromMemory: first, fromDisk: second)
        case 14..<16: return .removeVariants(name.key, fromMemory: first, fromDisk: second)
        case 16..<18: return .clearMemory
        case 18: return .clearDisk
        case 19: return .clear
        case 20..<23: return .load(name)
        case 23..<25: return .loadNow(name)
        case 25..<27: return .loadFromDisk(name)
        case 27: return .fetch(name, number)
        case 28: return .clean
        case 29: return .pause
        default: return .resume
        }
    }
}

/// A cache, and what its memory and its disk have to hold.
private final class CacheActRun {
    private let subject: CacheUnderTest
    private var memory: [CacheAct.Name: Int] = [:]
    private var disk: [CacheAct.Name: Int] = [:]
    /// Those of which memory may have nothing, too.
    private var lacking: Set<CacheAct.Name> = []
    /// Images whose stores may not be serialized yet. A load on this thread does not wait for them.
    private var raw: Set<CacheAct.Name> = []
    private var isPaused = false

    private var cache: ImageCache { subject.cache }

    init(_ subject: CacheUnderTest) { self.subject = subject }

    /// What is not as it has to be; nil if all is.
    func failure(of acts: [CacheAct]) async throws -> String? {
        defer { if isPaused { cache.ioQueue.queue.resume() } }
        for act in acts {
            if let failure = try await failure(of: act) { return "at \(act): \(failure)" }
        }
        try await perform(.resume)
        return try await compare()
    }

    private func failure(of act: CacheAct) async throws -> String? {
        switch act {
        case .load(let name):
            let result = try await cache.retrieveImage(forKey: name.key, options: options(name))
            return found(result.image?.number, of: name)
        case .fetch(let name, let number):
            // It waits for earlier changes.
            try await perform(.resume)
            let image = try await cache.retrieveImage(forKey: name.key, options: options(name)) {
                .init(try Pictures.image(number), original: Pictures.small[number])
            }
            if memory[name] == nil, disk[name] == nil {
                disk[name] = number
                raw.insert(name)
            }
            return found(image.number, of: name)
        case .loadNow(let name):
            let number = Locked(Int?.none)
            cache.retrieveImage(
                forKey: name.key, options: options(name) + [.loadDiskFileSynchronously], callbackQueue: .untouch
            ) { result in number.withLock { $0 = (try? result.get())?.image?.number } }
            guard memory[name] == nil, raw.contains(name) else { return found(number.withLock { $0 }, of: name) }
            (memory[name], lacking) = (disk[name], lacking.union([name]))
            return nil
        case .loadFromDisk(let name):
            let number = try await cache.retrieveImageInDiskCache(forKey: name.key, options: options(name))?.number
            return number == disk[name] ? nil : "\(String(describing: number)) from disk"
        default:
            try await perform(act)
            return nil
        }
    }

    private func options(_ name: CacheAct.Name) -> KingfisherOptionsInfo {
        name.processor.isEmpty ? [] : [.processor(NamedProcessor(identifier: name.processor))]
    }

    /// Takes what a load has found into the model's memory.
    private func found(_ number: Int?, of name: CacheAct.Name) -> String? {
        let expected = memory[name] ?? disk[name]
        let isOther = lacking.remove(name) != nil && number == disk[name]
        memory[name] = number
        return isOther || number == expected ? nil : "\(String(describing: number)) instead of \(String(describing: expected))"
    }

    private func remember(_ number: Int?, of name: CacheAct.Name) {
        lacking.remove(name)
        memory[name] = number
    }

    private func perform(_ act: CacheAct) async throws {
        let cache = cache
        switch act {
        case .store(let name, let number):
            remember(number, of: name)
            disk[name] = number
            raw.insert(name)
            cache.store(
                try Pictures.image(number), forKey: name.key, processorIdentifier: name.processor,
                completionHandler: nil)
        case .storeInMemory(let name, let number):
            remember(number, of: name)
            cache.store(
                try Pictures.image(number), forKey: name.key, processorIdentifier: name.processor, toDisk: false,
                completionHandler: nil)
        case .storeToDisk(let name, let number):
            disk[name] = number
            cache.storeToDisk(
                Pictures.small[number], forKey: name.key, processorIdentifier: name.processor,
                completionHandler: nil)
        case .remove(let name, let fromMemory, let fromDisk):
            if fromMemory { remember(nil, of: name) }
            if fromDisk { disk[name] = nil }
            cache.removeImage(
                forKey: name.key, processorIdentifier: name.processor, fromMemory: fromMemory, fromDisk: fromDisk,
                completionHandler: nil)
        case .removeVariants(let key, let fromMemory, let fromDisk):
            if fromMemory { memory = memory.filter { $0.key.key != key } }
            if fromDisk { disk = disk.filter { $0.key.key != key } }
            cache.removeImageAndVariants(
                forKey: key, fromMemory: fromMemory, fromDisk: fromDisk, completionHandler: nil)
        case .clearMemory:
            memory = [:]
            cache.clearMemoryCache()
        case .clearDisk:
            disk = [:]
            cache.clearDiskCache(completion: nil)
        case .clear:
            (memory, disk) = ([:], [:])
            cache.clearCache(completion: nil)
        case .pause:
            if !isPaused { cache.ioQueue.queue.suspend() }
            isPaused = true
        case .resume:
            if isPaused { cache.ioQueue.queue.resume() }
            isPaused = false
            repeat { await subject.settle() } while !cache.order.isIdle
            raw = []
        case .clean: cache.cleanExpiredCache(completion: nil)
        case .load, .loadNow, .loadFromDisk, .fetch: break
        }
    }

    private func compare() async throws -> String? {
        for name in CacheAct.Name.all {
            let image = cache.retrieveImageInMemoryCache(forKey: name.key, options: options(name))
            if image?.number != memory[name], !(image == nil && lacking.contains(name)) {
                return "memory has \(String(describing: image?.number)) of \(name), not \(String(describing: memory[name]))"
            }
            let number = try await cache.retrieveImageInDiskCache(forKey: name.key, options: options(name))?.number
            if number != disk[name] {
                return "disk has \(String(describing: number)) of \(name), not \(String(describing: disk[name]))"
            }
        }
        return nil
    }
}

private struct NamedProcessor: ImageProcessor {
    let identifier: String

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        switch item {
        case .image(let image): image
        case .data(let data): DefaultImageProcessor.default.process(item: .data(data), options: options)
        }
    }
}

/// Whatever is called in whichever order, and whenever the work on disk runs, the calls have the effects that they have one by one.
@Suite(.endsEvenIfItHangs, .serialized) struct CacheActTests {
    @Test func `random calls`() async throws {
        let seeds = Soak.seeds(short: 40)
        for number in 0..<seeds {
            var base = SeededGenerator.ofThisRun
            let seed = base.next() &+ UInt64(number)
            var generator = SeededGenerator(seed: seed)
            let acts = (0..<30).map { _ in CacheAct.random(using: &generator) }
            guard let failure = try await failure(of: acts) else { continue }
            let shortest = try await shrunk(acts)
            let last = try await self.failure(of: shortest) ?? "not again"
            Issue.record("seed \(seed): \(failure); then \(last)\n\(shortest.map { "\($0)" }.joined(separator: "\n"))\nwhole:\n\(acts.map { "\($0)" }.joined(separator: "\n"))")
            return
        }
    }

    private func failure(of acts: [CacheAct]) async throws -> String? {
        var failure: String?
        try await withImageCache { failure = try await CacheActRun($0).failure(of: acts) }
        return failure
    }

    private func shrunk(_ acts: [CacheAct]) async throws -> [CacheAct] {
        var shortest = acts
        var index = 0
        while index < shortest.count {
            var candidate = shortest
            candidate.remove(at: index)
            if try await failure(of: candidate) != nil { (shortest, index) = (candidate, 0) } else { index += 1 }
        }
        return shortest
    }
}
