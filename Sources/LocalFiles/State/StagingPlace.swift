import CSystemShim
import Platform
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The place of a file that is being written.
///
/// It is in `staging/` if the output is on the same device, since a rename is atomic there and the user's folders
/// show nothing; otherwise beside the output (docs/decisions/0003).
struct StagingPlace {
  let folder: OpenFolder
  /// `nil` for a file without a name: it disappears when it is closed.
  let name: String?
  /// The marker in `staging/` for a file beside its output.
  var note: (folder: OpenFolder, name: String)?

  /// A file made in `place`.
  struct NewFile: ~Copyable {
    let place: StagingPlace
    var file: Descriptor
  }

  /// Creates a file in `staging/`, with the permission bits `mode` without the umask's: by default for its owner
  /// only.
  ///
  /// A `nameless` one, if the system has such files, gets its name when it is published.
  static func create(
    in state: StateFolder, mode: UInt16 = 0o600, nameless: Bool = false
  ) throws(FailureCause) -> NewFile {
    try FailureSubject.state(state.path(of: "staging"), in: state).attempt { () throws(SystemError) in
      if nameless, let new = try createNameless(in: state, mode) { return new }
      return try retrying { () throws(SystemError) in
        let name = unusedName(in: state)
        let file = try state.staging.create(name, mode: mode_t(mode))
        return NewFile(place: StagingPlace(folder: state.staging, name: name), file: file)
      }
    }
  }

  /// `nil` if there are no such files, or they could not be named later.
  private static func createNameless(in state: StateFolder, _ mode: UInt16) throws(SystemError) -> NewFile? {
    let isKnown = state.takesNameless.withLock { $0 }
    guard isKnown != false else { return nil }
    do throws(SystemError) {
      let file = try state.staging.createNameless(mode: mode_t(mode))
      let place = StagingPlace(folder: state.staging, name: nil)
      if isKnown == true { return NewFile(place: place, file: file) }
      // The first one shows whether it can be done, and has a name from then on.
      try file.requireKeptNameless()
      let named = try place.named(file)
      state.takesNameless.withLock { $0 = true }
      return NewFile(place: named, file: file)
    } catch {
      guard isKnown == nil else { throw error }
      state.takesNameless.withLock { $0 = false }
      return nil
    }
  }

  /// Gives a nameless file a name in its own folder.
  func named(_ file: borrowing Descriptor) throws(SystemError) -> StagingPlace {
    let name = "file-" + RandomName.long()
    try folder.name(file, name)
    return StagingPlace(folder: folder, name: name)
  }

  /// Creates the file in the output's folder, which is created if it is missing.
  static func createBeside(
    _ path: RelativePath, in state: StateFolder, root: RootFolder
  ) throws(FailureCause) -> NewFile {
    let (folder, name) = try root.parentCreating(of: path)
    let parents = path.text.utf8.dropLast(name.utf8.count)
    for _ in 0..<100 {
      let temporary = OrphanMarker.prefix(for: name) + RandomName.suffix()
      let beside = String(Substring(parents)) + temporary
      // Its disk is another one than the output's.
      let written = try FailureSubject.state(state.path(of: "staging"), in: state).attempt {
        () throws(SystemError) in try OrphanMarker.write(beside, in: state.staging)
      }
      let place = StagingPlace(folder: folder, name: temporary, note: (state.staging, written))
      do throws(SystemError) {
        return NewFile(place: place, file: try folder.create(temporary))
      } catch {
        place.removeNote()
        guard error.code == EEXIST else { throw FailureSubject.output(path.text).cause(error) }
      }
    }
    throw FailureSubject.output(path.text).cause(SystemError(EEXIST))
  }

  /// A name in `staging/` that is most likely free.
  static func unusedName(in state: StateFolder) -> String { "file-" + state.names.next() }

  /// Whether a file in the state folder can be renamed to `path`; also fails if nothing can be written there.
  ///
  /// It creates no folder: a missing one will be on the device of its deepest existing parent.
  static func isOnDevice(
    of state: StateFolder, _ path: RelativePath, _ root: RootFolder
  ) throws(FailureCause) -> Bool {
    try root.deviceOfNewFile(at: path) == state.device
  }

  /// Exchanges the file, which has a name, with `name` in `folder`, so that the old file gets this one's name.
  ///
  /// If the system or the file system cannot do this, the old file is replaced.
  func exchange(with name: String, in folder: OpenFolder) throws(SystemError) {
    guard let old = self.name else { throw SystemError(EINVAL) }
    do throws(SystemError) {
      try call { unsafe syncmake_rename_exchange(self.folder.raw, old, folder.raw, name) }
    } catch {
      guard error.isUnsupported else { throw error }
      try call { unsafe renameat(self.folder.raw, old, folder.raw, name) }
    }
  }

  /// Renames the file, which has a name, to `name` in `folder`; `replacing` tells whether a file may be there.
  func move(to name: String, in folder: OpenFolder, replacing: Bool) throws(SystemError) {
    guard let old = self.name else { throw SystemError(EINVAL) }
    guard replacing else {
      return try self.folder.moveNew(FileName(old.utf8), to: FileName(name.utf8), in: folder)
    }
    try call { unsafe renameat(self.folder.raw, old, folder.raw, name) }
  }

  /// Removes file and note; what cannot be removed is left to ``StateFolder/clearStaging(root:)``.
  func remove() {
    guard let name, (try? folder.remove(name)) != nil else { return }
    removeNote()
  }

  func removeNote() {
    if let note { try? note.folder.remove(note.name) }
  }

  /// Tries again, a bounded number of times, while a random name turns out to be taken.
  private static func retrying<Result: ~Copyable>(
    _ body: () throws(SystemError) -> Result
  ) throws(SystemError) -> Result {
    for _ in 0..<100 {
      do throws(SystemError) { return try body() } catch {
        guard error.code == EEXIST else { throw error }
      }
    }
    throw SystemError(EEXIST)
  }
}
