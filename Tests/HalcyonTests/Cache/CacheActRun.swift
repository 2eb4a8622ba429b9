import Foundation
import HalcyonTestSupport

@testable import Halcyon

/// A cache, and what its memory and its disk have to hold: two dictionaries, which each call changes at once.
final class CacheActRun {
    private let subject: CacheUnderTest
    /// What may be in memory; nil for nothing.
    private var memory: [CacheAct.Name: Set<Int?>]
    private var disk: [CacheAct.Name: Int] = [:]
    /// Images whose stores may not be serialized yet. A load on this thread does not wait for them.
    private var unserialized: Set<CacheAct.Name> = []
    private var isPaused = false

    private var cache: ImageCache { subject.cache }

    init(_ subject: CacheUnderTest) {
        self.subject = subject
        memory = Dictionary(uniqueKeysWithValues: CacheAct.Name.all.map { ($0, [nil]) })
    }

    /// What is not as it has to be; nil if all is.
    func failure(of acts: [CacheAct]) async throws -> String? {
        defer { if isPaused { cache.ioQueue.queue.resume() } }
        for act in acts {
            if let failure = try await failure(of: act) { return "at \(act): \(failure)" }
        }
        await resume()
        for name in CacheAct.Name.all {
            if let failure = try await failure(of: name) { return "at the end: \(failure)" }
        }
        return nil
    }

    private func failure(of name: CacheAct.Name) async throws -> String? {
        let number = numberInMemory(of: name)
        guard memory[name]?.contains(number) == true else { return mismatch(of: name, "memory", number) }
        return try await failureOnDisk(of: name)
    }

    private func numberInMemory(of name: CacheAct.Name) -> Int? {
        cache.retrieveImageInMemoryCache(forKey: name.key, options: options(name))?.number
    }

    private func failureOnDisk(of name: CacheAct.Name) async throws -> String? {
        let number = try await cache.retrieveImageInDiskCache(forKey: name.key, options: options(name))?.number
        return number == disk[name] ? nil : mismatch(of: name, "disk", number)
    }

    private func mismatch(of name: CacheAct.Name, _ place: String, _ found: Int?) -> String {
        func text(_ number: Int?) -> String { number.map { "image \($0)" } ?? "nothing" }
        let memory = (memory[name] ?? []).map(text).joined(separator: " or ")
        return "\(place) has \(text(found)) under \(name); memory may have \(memory), the disk has \(text(disk[name]))"
    }

    private func options(_ name: CacheAct.Name) -> KingfisherOptionsInfo {
        name.processor.isEmpty ? [] : [.processor(NamedProcessor(identifier: name.processor))]
    }

    // MARK: One act

    private func failure(of act: CacheAct) async throws -> String? {
        switch act {
        case .load(let name):
            return found(
                try await cache.retrieveImage(forKey: name.key, options: options(name)).image?.number, of: name)
        case .beginLoad(let name):
            // Unless a change overtakes it.
            if memory[name]?.contains(nil) == true { memory[name]?.insert(disk[name]) }
            cache.retrieveImage(forKey: name.key, options: options(name), callbackQueue: .untouch) { _ in }
        case .loadNow(let name): return loadNow(name)
        case .loadFromDisk(let name): return try await failureOnDisk(of: name)
        case .fetch(let name, let number): return try await fetch(name, number)
        case .pause:
            if !isPaused { cache.ioQueue.queue.suspend() }
            isPaused = true
        case .resume: await resume()
        case .store(let name, let number), .storeInMemory(let name, let number), .storeToDisk(let name, let number):
            try store(act, name, number)
        default: remove(act)
        }
        return nil
    }

    private func loadNow(_ name: CacheAct.Name) -> String? {
        let number = Locked(Int?.none)
        cache.retrieveImage(
            forKey: name.key, options: options(name) + [.loadDiskFileSynchronously], callbackQueue: .untouch
        ) { result in number.withLock { $0 = (try? result.get())?.image?.number } }
        let mayLoad = memory[name]?.contains(nil) == true
        guard mayLoad, unserialized.contains(name) else { return found(number.withLock { $0 }, of: name) }
        // It may find what is on disk by now, which does not enter memory.
        memory[name]?.insert(disk[name])
        return nil
    }

    private func fetch(_ name: CacheAct.Name, _ number: Int) async throws -> String? {
        // It waits for earlier changes.
        await resume()
        if let failure = found(numberInMemory(of: name), of: name, orOnDisk: false) { return failure }
        let image = try await cache.retrieveImage(forKey: name.key, options: options(name)) {
            .init(try Pictures.image(number), original: Pictures.small[number])
        }
        if memory[name] == [nil], disk[name] == nil {
            disk[name] = number
            unserialized.insert(name)
        }
        return found(image.number, of: name)
    }

    /// Takes what a load has found into the memory of the model.
    private func found(_ number: Int?, of name: CacheAct.Name, orOnDisk: Bool = true) -> String? {
        let expected = (memory[name] ?? []).map { $0 ?? (orOnDisk ? disk[name] : nil) }
        guard expected.contains(number) else { return mismatch(of: name, "the cache", number) }
        memory[name] = [number]
        return nil
    }

    private func resume() async {
        if isPaused { cache.ioQueue.queue.resume() }
        isPaused = false
        repeat { await subject.settle() } while !cache.order.isIdle
        unserialized = []
    }

    // MARK: Changes

    private func store(_ act: CacheAct, _ name: CacheAct.Name, _ number: Int) throws {
        let image = try Pictures.image(number)
        switch act {
        case .store:
            memory[name] = [number]
            disk[name] = number
            unserialized.insert(name)
            cache.store(image, forKey: name.key, processorIdentifier: name.processor, completionHandler: nil)
        case .storeInMemory:
            memory[name] = [number]
            cache.store(
                image, forKey: name.key, processorIdentifier: name.processor, toDisk: false, completionHandler: nil)
        default:
            disk[name] = number
            cache.storeToDisk(
                Pictures.small[number], forKey: name.key, processorIdentifier: name.processor, completionHandler: nil)
        }
    }

    private func remove(_ act: CacheAct) {
        switch act {
        case .remove(let name, let fromMemory, let fromDisk):
            forget([name], fromMemory, fromDisk)
            cache.removeImage(
                forKey: name.key, processorIdentifier: name.processor, fromMemory: fromMemory, fromDisk: fromDisk,
                completionHandler: nil)
        case .removeVariants(let key, let fromMemory, let fromDisk):
            forget(CacheAct.Name.all.filter { $0.key == key }, fromMemory, fromDisk)
            cache.removeImageAndVariants(
                forKey: key, fromMemory: fromMemory, fromDisk: fromDisk, completionHandler: nil)
        case .clearMemory:
            forget(CacheAct.Name.all, true, false)
            cache.clearMemoryCache()
        case .clearDisk:
            forget(CacheAct.Name.all, false, true)
            cache.clearDiskCache(completion: nil)
        case .clear:
            forget(CacheAct.Name.all, true, true)
            cache.clearCache(completion: nil)
        default: cache.cleanExpiredCache(completion: nil)
        }
    }

    private func forget(_ names: [CacheAct.Name], _ fromMemory: Bool, _ fromDisk: Bool) {
        for name in names {
            if fromMemory { memory[name] = [nil] }
            if fromDisk { disk[name] = nil }
        }
    }
}

private struct NamedProcessor: ImageProcessor {
    let identifier: String

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        DefaultImageProcessor.default.process(item: item, options: options)
    }
}
