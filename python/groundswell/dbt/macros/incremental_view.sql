{#
  A model as a materialized view of the pipeline that has the name of the model's schema.

  A view that is there as the model says is refreshed: only what changed since the last run is read.
  A model with another query is recomputed, and so is every model with --full-refresh.
#}
{% materialization incremental_view, adapter='spark' %}
  {{ run_hooks(pre_hooks) }}

  {%- set views = groundswell.views(schema) -%}
  {%- set name = groundswell.name(schema, model['alias']) -%}
  {%- set definition = groundswell.definition(name, config.get('options', {}), compiled_code) -%}
  {%- set before = views.get(model['alias'] | lower) -%}
  {%- set same = before is not none and groundswell.same(before, definition) -%}

  {%- if before is not none and should_full_refresh() -%}
    {%- set why = '--full-refresh' -%}
    {%- do groundswell.drop(views, name) -%}
    {%- do run_query('CREATE ' ~ definition) -%}
  {%- elif before is none -%}
    {%- set why = 'the view was not there' -%}
    {%- do run_query('CREATE ' ~ definition) -%}
  {%- elif not same -%}
    {%- set why = 'the model changed' -%}
    {%- do groundswell.check_no_readers(views, name) -%}
    {%- do run_query('CREATE OR REPLACE ' ~ definition) -%}
  {%- endif -%}

  {%- call statement('main', fetch_result=True) -%}
    REFRESH MATERIALIZED VIEW {{ name }}
  {%- endcall -%}
  {%- for row in load_result('main')['data'] -%}
    {%- if why -%}
      {{ log(row[0] ~ ': recomputed, ' ~ why, info=True) }}
    {%- else -%}
      {{ log(row[0] ~ ': ' ~ row[2] ~ ' rows read, ' ~ row[3] ~ ' changed, ' ~ row[4] ~ ' s, ' ~ row[5], info=True) }}
    {%- endif -%}
  {%- endfor -%}

  {{ run_hooks(post_hooks) }}

  {{ return({'relations': [this.incorporate(type='table')]}) }}
{% endmaterialization %}


{# A view in the catalog. #}
{% macro name(schema, alias) %}
  {{- return('groundswell.' ~ adapter.quote(schema) ~ '.' ~ adapter.quote(alias)) -}}
{% endmacro %}


{# What follows CREATE, or CREATE OR REPLACE. #}
{% macro definition(name, options, query) %}
  {%- set pairs = [] -%}
  {%- for key in options | sort -%}
    {%- set value = (options[key] | string).replace('\\', '\\\\').replace("'", "\\'") -%}
    {%- do pairs.append(adapter.quote(key) ~ " = '" ~ value ~ "'") -%}
  {%- endfor -%}
  {%- set with = ' WITH (' ~ pairs | join(', ') ~ ')' if pairs else '' -%}
  {{- return('MATERIALIZED VIEW ' ~ name ~ with ~ ' AS\n' ~ query.strip().rstrip(';')) -}}
{% endmacro %}


{# The statements that made the views of a pipeline, by name in lower case, oldest first. #}
{% macro views(schema) %}
  {%- set views = {} -%}
  {%- for row in run_query('SHOW MATERIALIZED VIEWS FROM ' ~ adapter.quote(schema)) -%}
    {%- do views.update({row[0] | lower: row[1]}) -%}
  {%- endfor -%}
  {{- return(views) -}}
{% endmacro %}


{#
  Whether a statement made a view by this definition. Spaces and comments do not count: dbt adds a
  comment of its own, before or behind, and formatters move lines.
#}
{% macro same(statement, definition) %}
  {%- set there = groundswell.tokens(statement) -%}
  {%- set wanted = groundswell.tokens(definition) -%}
  {{- return(there[-(wanted | length):] == wanted) -}}
{% endmacro %}


{# The words, names, texts and signs of a statement, by Spark's quoting rules. #}
{% macro tokens(text) %}
  {%- set pattern -%}
    {%- raw -%}
(?s)--(?:\\\n|[^\n])*|/\*.*?\*/|[rR]'[^']*'|[rR]"[^"]*"|'(?:\\.|''|[^'\\])*'|"(?:\\.|""|[^"\\])*"|`(?:``|[^`])*`|\w+|[^\w\s]
    {%- endraw -%}
  {%- endset -%}
  {%- set found = [] -%}
  {%- for token in modules.re.findall(pattern | trim, text) -%}
    {%- if not token.startswith('--') and not token.startswith('/*') -%}
      {%- do found.append(token) -%}
    {%- endif -%}
  {%- endfor -%}
  {{- return(found) -}}
{% endmacro %}


{# The models that read one, directly or not, and have views: in order of their creation. #}
{% macro readers(views, of) %}
  {%- set reached = [of] -%}
  {%- set by_name = {} -%}
  {%- for id in reached -%}
    {%- for node in graph.nodes.values() -%}
      {%- if node.resource_type == 'model' and id in node.depends_on.nodes and node.unique_id not in reached -%}
        {%- do reached.append(node.unique_id) -%}
        {%- if node.schema == schema -%}
          {%- do by_name.update({node.alias | lower: node}) -%}
        {%- endif -%}
      {%- endif -%}
    {%- endfor -%}
  {%- endfor -%}
  {%- set readers = [] -%}
  {%- for view in views if view in by_name -%}
    {%- do readers.append(by_name[view]) -%}
  {%- endfor -%}
  {{- return(readers) -}}
{% endmacro %}


{#
  Refuses a run with --full-refresh that would drop a view which something else reads. It looks at
  all models of the run before the first one is dropped, so that no view is lost half-way.
#}
{% macro check_drops(views) %}
  {%- set others = groundswell.others(views) -%}
  {%- for id in selected_resources if id in graph.nodes -%}
    {%- set node = graph.nodes[id] -%}
    {%- set own = node.config.get('full_refresh') -%}
    {%- set anew = flags.FULL_REFRESH if own is none else own -%}
    {%- if anew and node.config.get('materialized') == 'incremental_view' and node.schema == schema and node.alias | lower in views -%}
      {%- set gone = groundswell.readers(views, id) -%}
      {%- for reader in gone -%}
        {%- if reader.unique_id not in selected_resources -%}
          {%- do groundswell.refuse_drop(node, 'model ' ~ reader.name ~ ' reads it, and is not part of this run. Run `dbt run --full-refresh --select ' ~ node.name ~ '+`') -%}
        {%- elif reader.config.get('full_refresh') is false -%}
          {%- do groundswell.refuse_drop(node, 'model ' ~ reader.name ~ ' reads it, and has full_refresh: false. Remove that, or exclude ' ~ node.name ~ ' from the run') -%}
        {%- endif -%}
      {%- endfor -%}
      {%- for other in others -%}
        {%- for read in [node] + gone if groundswell.reads(other.tokens, read.alias) -%}
          {%- do groundswell.refuse_drop(read, other.kind | lower ~ ' ' ~ other.name ~ ' reads it, and is not a model of this project. Nothing was dropped. If it is not needed any more, run DROP '
            ~ ('MATERIALIZED VIEW' if other.kind == 'VIEW' else other.kind) ~ ' ' ~ groundswell.name(schema, other.name)
            ~ '; else exclude ' ~ read.name ~ ' from the run') -%}
        {%- endfor -%}
      {%- endfor -%}
    {%- endif -%}
  {%- endfor -%}
{% endmacro %}


{% macro refuse_drop(node, why) %}
  {%- do exceptions.raise_compiler_error('view ' ~ groundswell.name(schema, node.alias) ~ ' cannot be recomputed: ' ~ why) -%}
{% endmacro %}


{# What reads views and is no model: views of models that were removed, views that others made, sinks and indexes. #}
{% macro others(views) %}
  {%- set models = [] -%}
  {%- for node in graph.nodes.values() if node.resource_type == 'model' and node.schema == schema -%}
    {%- do models.append(node.alias | lower) -%}
  {%- endfor -%}
  {%- set others = [] -%}
  {%- for name in views if name not in models -%}
    {%- do others.append({'kind': 'VIEW', 'name': name, 'tokens': groundswell.tokens(views[name])}) -%}
  {%- endfor -%}
  {%- for kind, many in [('SINK', 'SINKS'), ('INDEX', 'INDEXES')] -%}
    {%- for row in run_query('SHOW ' ~ many ~ ' FROM ' ~ adapter.quote(schema)) -%}
      {%- do others.append({'kind': kind, 'name': row[0], 'tokens': groundswell.tokens(row[1])}) -%}
    {%- endfor -%}
  {%- endfor -%}
  {{- return(others) -}}
{% endmacro %}


{# Whether a statement reads a view: names it behind the schema, FROM, JOIN or ON; and has no WITH of that name. #}
{% macro reads(tokens, alias) %}
  {%- set plain = [] -%}
  {%- for token in tokens -%}
    {%- do plain.append(token | replace('`', '') | lower) -%}
  {%- endfor -%}
  {%- set text = ' ' ~ plain | join(' ') ~ ' ' -%}
  {%- set name = ' ' ~ alias | lower ~ ' ' -%}
  {%- set befores = [' ' ~ schema | lower ~ ' .'] -%}
  {%- if (name ~ 'as ( ') not in text -%}
    {%- do befores.extend([' from', ' join', ' on']) -%}
  {%- endif -%}
  {%- for before in befores if (before ~ name) in text -%}
    {{- return(true) -}}
  {%- endfor -%}
  {{- return(false) -}}
{% endmacro %}


{# Drops the view, and before it the views of models that read it: this run makes them again. #}
{% macro drop(views, name) %}
  {%- do groundswell.check_drops(views) -%}
  {%- for node in groundswell.readers(views, model['unique_id']) | reverse -%}
    {%- do run_query('DROP MATERIALIZED VIEW ' ~ groundswell.name(schema, node.alias)) -%}
  {%- endfor -%}
  {%- do run_query('DROP MATERIALIZED VIEW ' ~ name) -%}
{% endmacro %}


{# Refuses another query for a view that models read. #}
{% macro check_no_readers(views, name) %}
  {%- set readers = groundswell.readers(views, model['unique_id']) | map(attribute='name') | join(', ') -%}
  {%- if readers -%}
    {%- do exceptions.raise_compiler_error(
      'the model changed, and view ' ~ name ~ ' cannot be replaced: it is read by ' ~ readers
      ~ '. Run `dbt run --full-refresh --select ' ~ model['name'] ~ '+` to compute all of them anew; '
      ~ 'or undo the change, and make a model of another name that the others read instead'
    ) -%}
  {%- endif -%}
{% endmacro %}
