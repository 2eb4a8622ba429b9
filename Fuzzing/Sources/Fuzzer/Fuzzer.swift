import CFuzzer
public import Foundation

/// Passes inputs to `run` until it crashes, or for as long as libFuzzer's arguments say.
public func fuzz(_ run: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt) -> Never {
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    exit(LLVMFuzzerRunDriver(&count, &arguments, run))
}

/// The input in memory that ends with it, so that a read beyond it is found.
public func data(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Data {
    guard let bytes else { return Data() }
    return Data(bytes: bytes, count: count)
}
