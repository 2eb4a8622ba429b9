// The declarations that samples about logs and metrics assume, like Context.swift.
import Foundation
import Halcyon
import HalcyonObservability
import Logging

var logger: Logger { fatalError() }
var reporter: CacheReporter { fatalError() }
var storage: DiskStorage.Backend<Data> { fatalError() }
