import CSystemShim

/// The process's environment as a whole, for programs that it starts; only the wiring asks for it.
package enum ProcessVariables {
  /// Each as `NAME=value`.
  package static func all() -> [String] {
    var all: [String] = []
    guard var place = unsafe syncmake_variables() else { return all }
    while let variable = unsafe place.pointee {
      all.append(unsafe String(cString: variable))
      unsafe place += 1
    }
    return all
  }
}
