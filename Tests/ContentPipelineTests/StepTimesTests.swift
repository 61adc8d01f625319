import ContentPipeline
import Foundation
import SyncModel
import Testing

@Suite struct StepTimesTests {
  @Test func `the times of the work are reported only if they were requested`() throws {
    let workshop = try Workshop()
    let text = Array(repeating: UInt8(ascii: "a"), count: 3_000_000)
    var spec = PipelineSpec(steps: [.gunzip, .verifySize(3_000_000, step: 1)])
    spec.measuresTimes = true
    let output = try workshop.staged()
    let course = Course(spec, output: output)
    try course.push(GzipWriter.member(text), pieces: 16 << 10)
    let times = try #require(try course.finish().get().times)
    #expect(times.span.began <= times.span.ended)
    for part in [times.verifying, times.unpacking, times.writing] {
      // Two threads work at most.
      #expect(part > .zero && part <= (times.span.ended - times.span.began))
    }
    #expect(try Course.run(PipelineSpec(steps: [.gunzip]), GzipWriter.member(text)).get().times == nil)
  }
}
