import Foundation
import Fuzzer
import Halcyon

// The index, or its log, may contain any bytes: the cache does not trap or hang, and returns no value that was not stored.
// DamagedIndex.swift interprets the input; Service.swift uses the cache.
let cache = try TemplateCache()

fuzz { bytes, count in
    do {
        let folder = try cache.makeFolder(with: DamagedIndex(data(bytes, count)))
        try Service(template: cache, folder: folder).use()
    } catch {
        fatalError("the cache gave no service: \(error)")
    }
    return 0
}
