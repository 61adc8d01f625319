import CSystemShim
import Platform
package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// How a file of the cache becomes an output without a copy of its bytes.
///
/// The new file is a part of the root before its bytes are digested. So those that were digested are those that are
/// published, whatever happens to the cache meanwhile.
extension CacheFolder {
  /// Why the bytes must be copied.
  package enum SharingFault: Error {
    /// For this file only.
    case unsuitable
    /// The system cannot do it between these folders.
    case impossible
  }

  /// Makes `staged`, to which nothing was written yet, a file that shares the blocks of `file`; returns it for reading.
  ///
  /// If it throws, `staged` is as before.
  package func clone(_ file: ReadableFile, into staged: StagedFile) throws(SharingFault) -> ReadableFile {
    // A small file is written faster.
    guard !staged.isOnDisk, file.signature.size > StagedFile.mostHeld else { throw .unsuitable }
    let folder = staged.state.staging
    let name = StagingPlace.unusedName(in: staged.state)
    do throws(SystemError) {
      let new = Descriptor(
        owning: try call { unsafe syncmake_clone(file.descriptor.raw, folder.raw, name) })
      return try adopt(new, name, file.signature.size, by: staged, isShared: false)
    } catch {
      throw .impossible
    }
  }

  /// Makes `staged`, to which nothing was written yet, another name of the file `sha256`; returns it for reading.
  ///
  /// Only a file that nobody may write to is shared, and only where it has the mode that the output may have. If it
  /// throws, `staged` is as before.
  package func link(_ sha256: HexDigest, into staged: StagedFile) throws(SharingFault) -> ReadableFile {
    guard !staged.isOnDisk, let source = try? folder(of: sha256, .files) else { throw .unsuitable }
    let folder = staged.state.staging
    let name = StagingPlace.unusedName(in: staged.state)
    do throws(SystemError) {
      try call { unsafe linkat(source.raw, sha256.text, folder.raw, name, 0) }
    } catch {
      // Pruned a moment ago; as many names as it can have.
      throw [ENOENT, EMLINK, ENOSPC, EDQUOT].contains(error.code) ? .unsuitable : .impossible
    }
    do throws(SystemError) {
      let file = try folder.open(name, O_RDONLY)
      let status = try FileStatus(file)
      if status.kind == .file, status.owner == geteuid(), status.mode & 0o777 == staged.modeOfShared,
        staged.mayHaveUsualMode
      {
        return try adopt(file, name, status.signature.size, by: staged, isShared: true)
      }
    } catch {}
    try? folder.remove(name)
    throw .unsuitable
  }

  private func adopt(
    _ file: consuming Descriptor, _ name: String, _ size: Int64, by staged: StagedFile, isShared: Bool
  ) throws(SystemError) -> ReadableFile {
    let place = StagingPlace(folder: staged.state.staging, name: name)
    do throws(SystemError) {
      let reading = try place.folder.open(name, O_RDONLY)
      let signature = try FileStatus(reading).signature
      guard signature.size == size else { throw SystemError(EIO) }
      staged.adopt(StagingPlace.NewFile(place: place, file: file), size: size, isShared: isShared)
      return ReadableFile(reading, signature, .source(staged.output.text), isTouched: true)
    } catch {
      place.remove()
      throw error
    }
  }
}

extension StagedFile {
  /// Whether the output has no mode of its own: there is none, or it has the mode of new files, or of shared ones.
  fileprivate var mayHaveUsualMode: Bool {
    let place = Place(output)
    guard let folder = try? root.walk(to: place), let old = try? root.status(of: place.name, in: folder)
    else { return true }
    return [0o666 & ~root.umask, modeOfShared].contains(old.mode & 0o777)
  }

  /// That of an output that is a file of a cache, by the umask of this run.
  fileprivate var modeOfShared: mode_t { 0o444 & ~root.umask }
}
