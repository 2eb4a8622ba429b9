internal import ArgumentParser
internal import Dispatch
@_spi(HalcyonTool) internal import Halcyon

/// The listing inside the index that most questions need. In a large cache that nobody has listed yet it takes a while to
/// make, which is shown and can be ended; where it exists there is little to do.
final class ListingPreparation {
    private let interruption = Interruption()
    private let patience = DispatchTime.now() + .milliseconds(200)
    private var bar: ProgressBar?

    /// Has it made, if a question needs it.
    static func run(
        in storage: Storage, for filter: DiskStorage.EntryFilter, order: DiskStorage.EntryOrder = .access
    ) throws {
        guard filter.needsListing || order.needsListing else { return }
        try ListingPreparation().run(in: storage)
    }

    private func run(in storage: Storage) throws {
        defer { end() }
        do {
            try storage.updateListing(show)
        } catch  where interruption.isRequested {
            // Which of the two it was makes no difference to whoever pressed Ctrl-C.
        }
        guard interruption.isRequested else { return }
        bar?.clear()
        Message.print("Interrupted: the index is listed in part, and the next such command goes on there.")
        throw ExitCode.interrupted
    }

    private func show(_ done: Int, of total: Int) throws {
        if interruption.isRequested { throw ExitCode.interrupted }
        // A moment needs no bar.
        guard DispatchTime.now() > patience else { return }
        let bar = bar ?? ProgressBar(total: total)
        self.bar = bar
        bar.show(done, "entries listed")
    }

    private func end() {
        bar?.clear()
        interruption.end()
    }
}
