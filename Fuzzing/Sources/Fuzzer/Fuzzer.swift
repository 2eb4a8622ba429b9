import CFuzzer
public import Foundation

/// Hands inputs to `run` until it crashes, or as long as the arguments say (those of libFuzzer).
public func fuzz(_ run: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt) -> Never {
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    exit(LLVMFuzzerRunDriver(&count, &arguments, run))
}

/// The input as bytes that end with it.
public func data(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Data {
    guard let bytes else { return Data() }
    return Data(bytes: bytes, count: count)
}
