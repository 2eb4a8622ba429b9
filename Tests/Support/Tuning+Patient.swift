package import Halcyon

extension Tuning {
    /// As an app's, but for the waits for locks, and for how long a row is believed. On a busy machine a thread that holds a lock can be out
    /// of work for longer than lookups and stores wait, and a miss for want of patience would be taken for a loss.
    package static var patient: Tuning {
        var tuning = Tuning()
        tuning.readerTimeout = 60_000
        tuning.briefTimeout = 60_000
        tuning.writerTimeout = 60_000
        tuning.upgradeDelay = 0
        tuning.rowLifetime = 3_600_000
        return tuning
    }
}
