package io.groundswell.compaction;

import io.groundswell.key.InternalKey;
import io.groundswell.key.TableSpec;
import io.groundswell.key.TableSpec.Layout;
import io.groundswell.sst.KeyBound;
import io.groundswell.sst.SstInfo;
import io.groundswell.version.Levels;
import io.groundswell.version.Run;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Trees as text: a line for each sub-level and level, a column for each key.
 *
 * <pre>
 * L0* [a4-------------]     a sub-level as a commit left it: file a, 4 bytes
 * L0  [b9--]  [c7t50--]     a merged one; half of c is tombstones
 * L6  [d30----][e40---]     level 6
 * </pre>
 *
 * Picked files are filled with #.
 */
final class LevelPictures {
  private static final TableSpec TABLE = new TableSpec(0, "t", Layout.ORDERED, false);
  private static final Pattern FILE = Pattern.compile("\\[([a-z])(\\d+)(?:t(\\d+))?([-#]+)\\]");

  /** One case of a file: title, settings, picture, what is expected and its picture. */
  record Case(String title, Map<String, String> settings, List<String> before, String expected,
      List<String> after) {
    long number(String name) {
      return Long.parseLong(settings.get(name));
    }
  }

  /** A tree that was drawn, and the files that are filled. */
  record Drawn(Levels levels, List<SstInfo> filled, Map<String, SstInfo> byName) {}

  private LevelPictures() {}

  static List<Case> read(String resource) throws IOException {
    List<Case> cases = new ArrayList<>();
    try (InputStream in = LevelPictures.class.getResourceAsStream(resource)) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      for (String one : text.split("(?m)^== ")) {
        if (!one.startsWith("#")) {
          cases.add(parse(one));
        }
      }
    }
    return cases;
  }

  private static Case parse(String text) {
    List<String> lines = text.lines().map(String::stripTrailing).filter(l -> !l.isEmpty()).toList();
    Map<String, String> settings = new LinkedHashMap<>();
    List<String> before = new ArrayList<>();
    List<String> after = new ArrayList<>();
    String expected = null;
    for (String line : lines.subList(1, lines.size())) {
      if (line.startsWith("=> ")) {
        expected = line.substring(3);
      } else if (line.matches("L\\d.*")) {
        (expected == null ? before : after).add(line);
      } else {
        for (String setting : line.split(" +")) {
          settings.put(setting.split("=")[0], setting.split("=")[1]);
        }
      }
    }
    return new Case(lines.get(0), settings, before, expected, after);
  }

  static Drawn tree(List<String> picture) {
    List<Run> subLevels = new ArrayList<>();
    Run[] lower = new Run[Levels.DEEPEST];
    Arrays.fill(lower, Run.NONE);
    List<SstInfo> filled = new ArrayList<>();
    Map<String, SstInfo> byName = new LinkedHashMap<>();
    int older = (int) picture.stream().filter(line -> line.startsWith("L0")).count();
    for (String line : picture) {
      int level = line.charAt(1) - '0';
      long epoch = level == 0 ? 10L * older-- : 1;
      long last = level == 0 && line.charAt(2) == '*' ? epoch : epoch + 8;
      List<SstInfo> files = new ArrayList<>();
      for (Matcher m = FILE.matcher(line); m.find();) {
        SstInfo file = file(m, epoch, last);
        files.add(file);
        byName.put(m.group(1), file);
        if (m.group(4).contains("#")) {
          filled.add(file);
        }
      }
      if (level == 0) {
        subLevels.add(new Run(files));
      } else {
        lower[level - 1] = new Run(files);
      }
    }
    return new Drawn(new Levels(subLevels, Arrays.asList(lower)), filled, byName);
  }

  private static SstInfo file(Matcher m, long minEpoch, long maxEpoch) {
    long bytes = Long.parseLong(m.group(2));
    long tombstones = m.group(3) == null ? 0 : Long.parseLong(m.group(3));
    return new SstInfo(m.group(1), 0, bytes, 0, 1, 100, tombstones, minEpoch, maxEpoch,
        key(m.start(), maxEpoch), key(m.end() - 1, minEpoch), List.of(new KeyBound(0, null)));
  }

  static byte[] key(int column, long epoch) {
    byte[] key = new byte[InternalKey.encodedLength(1)];
    InternalKey.encode(TABLE, 0, new byte[] {(byte) column}, 0, 1, epoch, key, 0);
    return key;
  }

  /** The picture with these files filled. */
  static List<String> draw(List<String> picture, List<SstInfo> picked) {
    Set<String> names = new TreeSet<>();
    picked.forEach(file -> names.add(file.fileName()));
    return picture.stream()
        .map(line
            -> FILE.matcher(line).replaceAll(m
                -> names.contains(m.group(1)) ? m.group().replace('-', '#')
                                              : m.group().replace('#', '-')))
        .toList();
  }

  /** The pick that fills these files, for the level. */
  static Pick pick(Drawn drawn, Pick.Kind kind, int target) {
    List<Pick.Part> parts = new ArrayList<>();
    for (Run run : drawn.levels().subLevels()) {
      parts.add(new Pick.Part(0, run.files().stream().filter(drawn.filled()::contains).toList()));
    }
    for (int n = 1; n <= Levels.DEEPEST; n++) {
      parts.add(new Pick.Part(
          n, drawn.levels().level(n).files().stream().filter(drawn.filled()::contains).toList()));
    }
    return new Pick(kind, parts, target);
  }
}
