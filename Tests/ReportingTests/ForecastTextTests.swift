import SyncModel
import Testing

@testable import Reporting

@Suite struct ForecastTextTests {
  @Test(
    "missing files are counted",
    arguments: [
      (0, nil), (1, "1 of 6 files is missing"), (2, "2 of 6 files are missing"),
    ] as [(Int, String?)])
  func missing(count: Int, text: String?) {
    var forecast = TreeForecast()
    (forecast.missing, forecast.recorded) = (count, 6)
    #expect(ForecastText.counts(forecast) == text)
  }
}
