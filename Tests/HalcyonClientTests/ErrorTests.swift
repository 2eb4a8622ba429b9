import Foundation
import Halcyon
import Testing

@Suite struct ErrorTests {
    private struct Cause: Error {}

    /// What an app can read from an error. The switches have no default, because a new case would break apps.
    private func details(of error: KingfisherError) -> String {
        switch error {
        case .cacheError(let reason): details(of: reason)
        case .processorError(.processingFailed(let processor, let item)): "\(processor.identifier) \(item)"
        }
    }

    private func details(of reason: KingfisherError.CacheErrorReason) -> String {
        switch reason {
        case .fileEnumeratorCreationFailed(let url): "enumerator \(url.path)"
        case .invalidFileEnumeratorContent(let url): "content \(url.path)"
        case .invalidURLResource(let error, let key, let url): "resource \(error is Cause) \(key) \(url.path)"
        case .cannotLoadDataFromDisk(let url, let error): "load \(url.path) \(error is Cause)"
        case .cannotCreateDirectory(let path, let error): "folder \(path) \(error is Cause)"
        case .imageNotExisting(let key): "missing \(key)"
        case .cannotConvertToData(let object, let error): "convert \(object) \(error is Cause)"
        case .cannotSerializeImage(let image, let original, let serializer):
            "serialize \(image?.width ?? 0) \(original?.count ?? 0) \(serializer.originalDataUsed)"
        case .cannotCreateCacheFile(let fileURL, let key, let data, let error):
            "file \(fileURL.path) \(key) \(data.count) \(error is Cause)"
        case .cannotSetCacheFileAttribute(let filePath, let attributes, let error):
            "attribute \(filePath) \(attributes.count) \(error is Cause)"
        case .diskStorageIsNotReady(let cacheURL): "not ready \(cacheURL.path)"
        }
    }

    @Test func `each reason has its values and its code`() throws {
        let url = URL(fileURLWithPath: "/u")
        let reasons: [KingfisherError.CacheErrorReason] = [
            .fileEnumeratorCreationFailed(url: url), .invalidFileEnumeratorContent(url: url),
            .invalidURLResource(error: Cause(), key: "k", url: url), .cannotLoadDataFromDisk(url: url, error: Cause()),
            .cannotCreateDirectory(path: "/p", error: Cause()), .imageNotExisting(key: "k"),
            .cannotConvertToData(object: 1, error: Cause()),
            .cannotSerializeImage(
                image: try Pictures.image(width: 2), original: Data([1]), serializer: RefusingSerializer()),
            .cannotCreateCacheFile(fileURL: url, key: "k", data: Data([1, 2]), error: Cause()),
            .cannotSetCacheFileAttribute(filePath: "/p", attributes: [.size: 1], error: Cause()),
            .diskStorageIsNotReady(cacheURL: url),
        ]
        let errors = reasons.map { KingfisherError.cacheError(reason: $0) }
        #expect(
            errors.map(details) == [
                "enumerator /u", "content /u", "resource true k /u", "load /u true", "folder /p true", "missing k",
                "convert 1 true", "serialize 2 1 true", "file /u k 2 true", "attribute /p 1 true", "not ready /u",
            ])
        #expect(errors.map(\.errorCode) == Array(3001...3011))
        let reason: KingfisherError.ProcessorErrorReason = .processingFailed(
            processor: RefusingProcessor(), item: .data(Data([1, 2])))
        let processing = KingfisherError.processorError(reason: reason)
        #expect(details(of: processing) == "com.example.refusing data(2 bytes)" && processing.errorCode == 4001)
    }

    @Test func `an error has a domain, a code and a text, also as NSError`() {
        let error = KingfisherError.cacheError(reason: .imageNotExisting(key: "secret"))
        #expect(KingfisherError.domain == "com.onevcat.Kingfisher.Error")
        #expect(KingfisherError.errorDomain == KingfisherError.domain)
        let bridged = error as NSError
        #expect(bridged.domain == KingfisherError.domain && bridged.code == 3006)
        #expect(error.errorUserInfo[NSLocalizedDescriptionKey] as? String == error.errorDescription)
        let texts = [error.errorDescription, error.description, error.debugDescription, error.localizedDescription]
        #expect(texts.allSatisfy { $0?.isEmpty == false && $0?.contains("secret") == false })
        // An extension may be a part of a key.
        let file = URL(fileURLWithPath: "/cache/\(String(repeating: "ab", count: 32)).secret")
        let refusal = CocoaError(.fileWriteUnknown)
        for reason: KingfisherError.CacheErrorReason in [
            .imageNotExisting(key: "secret"),
            .cannotCreateCacheFile(fileURL: file, key: "secret", data: Data(), error: refusal),
        ] {
            #expect(!"\(reason) \(reason.description) \(reason.debugDescription)".contains("secret"))
        }
    }

    @Test func `the error inside a reason names the failure of the disk`() async throws {
        try await withStorage { storage in
            try storage.store(value: Data([1]), forKey: "a")
            let thrown = #expect(throws: KingfisherError.self) {
                try storage.store(value: Data([2]), forKey: "a", writeOptions: .withoutOverwriting)
            }
            guard case .cacheError(reason: .cannotCreateCacheFile(_, _, _, let error)) = thrown,
                let cause = error as? CacheStorageError
            else {
                Issue.record("another error: \(String(describing: thrown))")
                return
            }
            #expect(cause.code == .alreadyExists && cause.errorCode == 3109 && cause.code.rawValue == 3109)
            #expect(cause.code == CacheStorageError.Code(rawValue: 3109) && cause.sqliteCode == nil)
            #expect(cause.description == "\(cause.message) \(cause.remedy)" && cause.recoverySuggestion == cause.remedy)
            #expect(cause.errorDescription == cause.description && cause.errnoCode == nil)
            #expect((cause as NSError).domain == CacheStorageError.errorDomain && !cause.errorUserInfo.isEmpty)
        }
    }

    @Test func `the codes of disk errors never change`() {
        let codes: [CacheStorageError.Code] = [
            .indexUnavailable, .newerSchema, .editedMigration, .unsupportedSQLite, .indexDamaged, .diskFull,
            .fileSystem, .blockedName, .alreadyExists, .emptyName, .suspended, .invalidAttributes,
            .invalidFilter,
        ]
        // 3112 was for a folder to which a cache could not be moved.
        #expect(codes.map(\.rawValue) == Array(3101...3111) + [3113, 3114])
    }
}
