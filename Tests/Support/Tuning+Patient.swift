package import Halcyon

extension Tuning {
    /// The defaults, except for the timeouts of locks and for how long a row in memory is valid. On a busy machine a thread that holds a
    /// lock may not run for longer than lookups and stores wait, and a test would mistake the resulting miss for a loss.
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
