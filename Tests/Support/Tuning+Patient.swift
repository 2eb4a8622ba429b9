package import Halcyon

extension Tuning {
    /// As an app's, but for the waits for locks. On a busy machine a thread that holds one can be out of work for longer than
    /// lookups and stores wait, and a miss for want of patience would be taken for a loss.
    package static var patient: Tuning {
        var tuning = Tuning()
        tuning.readerTimeout = 60_000
        tuning.briefTimeout = 60_000
        tuning.writerTimeout = 60_000
        tuning.upgradeDelay = 0
        return tuning
    }
}
