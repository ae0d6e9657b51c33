package io.groundswell.storage;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Publishes a local file under a name that must be free. Only a hard link does this as one step
 * with the whole content: a rename replaces a file of that name, and a file that is created first
 * and written then can be seen half written. So there is no second way: where links fail, two
 * writers could both believe that they have won, and the file system is refused.
 */
public final class NewFile {
  /** Creates a hard link, as {@link Files#createLink} does. */
  interface Link {
    void create(Path link, Path existing) throws IOException;
  }

  private NewFile() {}

  /**
   * Gives a written file a second name, unless that is taken; the file's first name stays.
   *
   * @return false if there is a file of that name, which stays
   * @throws EngineException with code STORAGE if the file system has no hard links
   */
  public static boolean publish(Path written, Path target) throws IOException {
    return publish(written, target, Files::createLink);
  }

  static boolean publish(Path written, Path target, Link link) throws IOException {
    try {
      link.create(target, written);
      return true;
    } catch (FileAlreadyExistsException taken) {
      return false;
    } catch (UnsupportedOperationException e) {
      throw refused(target, "it has no hard links", e);
    } catch (FileSystemException e) {
      if (e.getClass() != FileSystemException.class) {
        throw e; // says by its class what it is: no such file, access denied
      }
      throw refused(target, e.getReason(), e);
    }
  }

  private static EngineException refused(Path target, String reason, Exception cause) {
    return new EngineException(ErrorCode.STORAGE,
        "cannot create " + target + " by a hard link: " + reason + ". Without hard links two "
            + "writers could both own this location. Use a file system that has them (ext4, xfs, "
            + "APFS, NTFS), or an object store; if the disk is full, make room",
        cause);
  }
}
