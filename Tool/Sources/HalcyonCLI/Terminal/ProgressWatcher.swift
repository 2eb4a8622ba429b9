internal import Dispatch
internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// Draws what a `Progress` says, and cancels it when somebody presses Ctrl-C.
final class ProgressWatcher: @unchecked Sendable {
    // Sendable because the bar is used on one serial queue only.
    private let queue = DispatchQueue(label: "halcyon.progress")
    private let timer: any DispatchSourceTimer
    private let label: String
    private var bar: ProgressBar?

    init(_ progress: Progress, _ interruption: Interruption, label: String = "files copied") {
        self.label = label
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in
            if interruption.isRequested { progress.cancel() }
            self?.show(progress)
        }
        timer.schedule(deadline: .now(), repeating: .milliseconds(100))
        timer.activate()
    }

    private func show(_ progress: Progress) {
        guard progress.totalUnitCount > 0 else { return }
        let bar = bar ?? ProgressBar(total: Int(progress.totalUnitCount))
        self.bar = bar
        bar.show(Int(progress.completedUnitCount), label)
    }

    /// Takes the line away. Nothing is drawn afterwards.
    func stop() {
        timer.cancel()
        queue.sync {
            bar?.clear()
            bar = nil
        }
    }
}
