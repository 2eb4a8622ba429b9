// What the samples about logs and metrics take for granted: as Context.swift.
import Foundation
import Halcyon
import HalcyonObservability
import Logging

var logger: Logger { fatalError() }
var reporter: CacheReporter { fatalError() }
var storage: DiskStorage.Backend<Data> { fatalError() }
