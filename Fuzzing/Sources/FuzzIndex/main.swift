import Foundation
import Fuzzer
import Halcyon

// Any bytes may be in the place of the index, or of its log: no trap, no hang, and no value but the one that was stored. What the
// input says is in DamagedIndex.swift; what is asked of the cache then, in Service.swift.
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
