package io.groundswell.spark.ui;

import io.groundswell.spark.shims.Scala;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.apache.spark.SparkContext;
import org.apache.spark.ui.SparkUI;
import org.apache.spark.ui.SparkUITab;
import org.apache.spark.ui.UIUtils;
import org.apache.spark.ui.WebUIPage;
import scala.collection.immutable.Seq;
import scala.xml.Node;
import scala.xml.Unparsed;

/** The tab "Groundswell": a frame around what Python draws. */
public final class PipelineTab extends SparkUITab {
  private static final String NAME = "groundswell";
  private static final String PAGES = "/groundswell-pages";

  private PipelineTab(SparkUI ui, PageSource source) {
    super(ui, NAME);
    attachPage(new Frame(this));
    ui.attachHandler(PAGES, new Pages(source), "/*");
  }

  /** Adds the tab to an application's UI; false if it has none. */
  public static boolean attach(SparkContext context, PageSource source) {
    if (context.ui().isEmpty()) {
      return false;
    }
    SparkUI ui = context.ui().get();
    ui.attachTab(new PipelineTab(ui, source));
    return true;
  }

  @Override
  public String name() {
    return "Groundswell";
  }

  private static final class Frame extends WebUIPage {
    private final PipelineTab tab;

    Frame(PipelineTab tab) {
      super("");
      this.tab = tab;
    }

    @Override
    public Seq<Node> render(HttpServletRequest request) {
      String pages = UIUtils.prependBaseUri(request, tab.basePath() + PAGES + "/", "");
      Seq<Node> frame = Scala.seq(List.of(new Unparsed("<iframe title=\"pipelines\" src=\"" + pages
          + "\" style=\"border:0;width:100%;height:calc(100vh - 170px)\"></iframe>")));
      return UIUtils.headerSparkPage(
          request, "Pipelines", Scala.body(() -> frame), tab, Scala.none(), false, false, false);
    }
  }

  private static final class Pages extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private final transient PageSource source;

    Pages(PageSource source) {
      this.source = source;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      String path = Objects.requireNonNullElse(request.getPathInfo(), "/");
      String answer = source.answer(path, Objects.requireNonNullElse(request.getQueryString(), ""));
      int end = answer.indexOf('\n');
      if (end < 0) {
        response.sendError(HttpServletResponse.SC_NOT_FOUND);
        return;
      }
      response.setContentType(answer.substring(0, end));
      response.setHeader("Cache-Control", "no-store");
      response.setHeader("X-Content-Type-Options", "nosniff");
      response.getOutputStream().write(answer.substring(end + 1).getBytes(StandardCharsets.UTF_8));
    }
  }
}
