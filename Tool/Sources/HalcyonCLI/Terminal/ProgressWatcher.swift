internal import Dispatch
internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// Draws a `Progress`.
final class ProgressWatcher: @unchecked Sendable {
    // Sendable because only one serial queue uses the bar.
    private let queue = DispatchQueue(label: "halcyon.progress")
    private let timer: any DispatchSourceTimer
    private let label: String
    private var bar: ProgressBar?

    init(_ progress: Progress, label: String) {
        self.label = label
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in
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

    /// Erases the line and stops drawing.
    func stop() {
        timer.cancel()
        queue.sync {
            bar?.clear()
            bar = nil
        }
    }
}
