package io.groundswell.memtable;

import java.util.Arrays;

/**
 * Append-only bytes on pages. Nothing is ever overwritten, so whoever holds a page's array may keep
 * it: dropping bytes means to write the live ones into a new arena and to forget this one.
 */
final class Arena {
  private static final int FIRST_PAGE = 4 << 10;

  /** Below half a G1 region of the smallest heaps, so that pages are ordinary objects. */
  private static final int LARGEST_PAGE = 256 << 10;

  private byte[][] pages = new byte[8][];
  private int pageCount;
  private int current = -1;
  private int used;
  private int nextPageBytes = FIRST_PAGE;
  private long allocatedBytes;

  /** The page and offset of the last {@link #append}. */
  int page;

  int offset;

  /** Copies the bytes in and leaves their place in {@link #page} and {@link #offset}. */
  void append(byte[] bytes, int from, int length) {
    if (length > LARGEST_PAGE / 4) {
      page = newPage(length);
      offset = 0;
    } else {
      if (current < 0 || used + length > pages[current].length) {
        while (nextPageBytes < length) {
          nextPageBytes *= 2;
        }
        current = newPage(nextPageBytes);
        used = 0;
        nextPageBytes = Math.min(LARGEST_PAGE, nextPageBytes * 2);
      }
      page = current;
      offset = used;
      used += length;
    }
    System.arraycopy(bytes, from, pages[page], offset, length);
  }

  byte[] page(int number) {
    return pages[number];
  }

  long allocatedBytes() {
    return allocatedBytes;
  }

  private int newPage(int bytes) {
    if (pageCount == pages.length) {
      pages = Arrays.copyOf(pages, pageCount * 2);
    }
    pages[pageCount] = new byte[bytes];
    allocatedBytes += bytes;
    return pageCount++;
  }
}
