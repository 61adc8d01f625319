import ContentPipeline
import LocalFiles
import Planning
import SyncModel

/// Takes the digests that servers announce of a body, and asks ``AnnouncedDigests`` what they come to.
extension TargetRun {
  /// How the rest of a partial download is to be taken.
  func spec(resuming facts: PartialDownload.Facts) -> PipelineSpec {
    if target.serverDigest == .use { announced = AnnouncedDigests(ofFile: facts.digests) }
    return expectations.spec(for: announced)
  }

  /// A reply whose body comes now announces these.
  func hear(_ digests: AnnouncedDigests) {
    announced = digests
    let algorithms = digests.partAlgorithms
    partDigester = algorithms.isEmpty ? nil : Digester(algorithms)
  }

  /// What they say of a body that is here.
  func judge(_ whole: PipelineResult) -> AnnouncedDigests.Judgement {
    announced.isEmpty ? .unknown : announced.judge(whole.download, part: partDigester?.finish() ?? [:])
  }
}
