public import Foundation

public enum StorageExpiration: Sendable {
    case never, seconds(TimeInterval), days(Int), date(Date), expired

    var end: Date {
        switch self {
        case .never: .distantFuture
        case .seconds(let seconds): Date(timeIntervalSinceNow: seconds)
        case .days(let days): Date(timeIntervalSinceNow: Double(days) * 86_400)
        case .date(let date): date
        case .expired: .distantPast
        }
    }
}

public enum ExpirationExtending: Sendable { case none, cacheTime, expirationTime(_ expiration: StorageExpiration) }

public protocol CacheCostCalculable { var cacheCost: Int { get } }

public protocol DataTransformable {
    func toData() throws -> Data
    static func fromData(_ data: Data) throws -> Self
    static var empty: Self { get }
}

extension Data: DataTransformable {
    public func toData() throws -> Data { self }
    public static func fromData(_ data: Data) throws -> Data { data }
    public static let empty = Data()
}

public enum MemoryStorage {
    public final class Backend<T: CacheCostCalculable>: @unchecked Sendable where T: Sendable {
        private let lock = NSLock()
        private var values: [String: (value: T, end: Date)] = [:]
        public var config: Config

        public init(config: Config) { self.config = config }

        /// Does not store values that have already expired.
        public func store(value: T, forKey key: String, expiration: StorageExpiration? = nil) {
            let end = (expiration ?? config.expiration).end
            guard end > Date() else { return }
            lock.withLock { values[key] = (value, end) }
        }

        public func value(forKey key: String, extendingExpiration: ExpirationExtending = .cacheTime) -> T? {
            lock.withLock { values[key].flatMap { $0.end > Date() ? $0.value : nil } }
        }

        public func isCached(forKey key: String) -> Bool { value(forKey: key, extendingExpiration: .none) != nil }
        public func remove(forKey key: String) { lock.withLock { values[key] = nil } }
        public func removeAll() { lock.withLock { values = [:] } }
        public func removeExpired() { lock.withLock { values = values.filter { $0.value.end > Date() } } }
        public func totalCacheCost() -> Int { lock.withLock { values.values.reduce(0) { $0 + $1.value.cacheCost } } }

        /// Exists only in the fake: the keys in memory.
        public var keys: Set<String> { lock.withLock { Set(values.keys) } }
    }

    public struct Config {
        public var totalCostLimit: Int
        public var countLimit: Int = .max
        public var expiration: StorageExpiration = .seconds(300)
        public var cleanInterval: TimeInterval
        public var keepWhenEnteringBackground = false
        public init(totalCostLimit: Int, cleanInterval: TimeInterval = 120) {
            self.totalCostLimit = totalCostLimit
            self.cleanInterval = cleanInterval
        }
    }
}

public enum DiskStorage {
    /// A fake that creates its folder, as Kingfisher does, and records every call.
    public final class Backend<T: DataTransformable>: @unchecked Sendable where T: Sendable {
        private let lock = NSLock()
        private var currentConfig: Config
        private var noted: [String] = []
        public let directoryURL: URL
        /// False if the folder could not be created.
        let isReady: Bool

        public var config: Config {
            get { lock.withLock { currentConfig } }
            set { lock.withLock { currentConfig = newValue } }
        }

        public convenience init(config: Config) throws {
            self.init(noThrowConfig: config)
            do {
                try FileManager.default.createDirectory(at: directoryURL, withIntermediateDirectories: true)
            } catch {
                throw KingfisherError.cacheError(
                    reason: .cannotCreateDirectory(path: directoryURL.path, error: error))
            }
        }

        init(noThrowConfig config: Config) {
            let folder = config.directory ?? FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask)[0]
            directoryURL = config.cachePathBlock(folder, "com.onevcat.Kingfisher.ImageCache.\(config.name)")
            currentConfig = config
            isReady =
                (try? FileManager.default.createDirectory(at: directoryURL, withIntermediateDirectories: true)) != nil
        }

        public func store(
            value: T, forKey key: String, expiration: StorageExpiration? = nil,
            writeOptions: Data.WritingOptions = [], forcedExtension: String? = nil
        ) throws { note() }

        func note(_ function: String = #function) { lock.withLock { noted.append(function) } }

        /// Exists only in the fake: the recorded calls.
        public var calls: [String] { lock.withLock { noted } }
    }

    public struct Config: @unchecked Sendable {
        public var sizeLimit: UInt
        public var expiration: StorageExpiration = .days(7)
        public var pathExtension: String?
        public var usesHashedFileName = true
        public var autoExtAfterHashedFileName = false
        // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
        public var cachePathBlock: (@Sendable (_ directory: URL, _ cacheName: String) -> URL)! = { directory, name in
            directory.appendingPathComponent(name, isDirectory: true)
        }
        public let name: String
        let directory: URL?

        public init(name: String, sizeLimit: UInt, fileManager: FileManager = .default, directory: URL? = nil) {
            self.name = name
            self.sizeLimit = sizeLimit
            self.directory = directory
        }
    }
}
