{# Customers for the pipeline's table: dbt run-operation add_customers --args '{rows: "(1, ''Ada'')"}' #}
{% macro add_customers(rows) %}
  {% do run_query('INSERT INTO groundswell.shop.customers VALUES ' ~ rows) %}
{% endmacro %}
