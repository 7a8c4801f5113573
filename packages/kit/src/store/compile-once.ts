import type { Compilable, CompiledQuery, Kysely, QueryResult } from 'kysely'

/** Stands for a value of the query until there is one. */
class Placeholder {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/**
 * For the few queries of a hot path: building one and writing its SQL costs more than the database needs to run it, so both are done once
 * for each kind of database. `build` may do nothing with a value but hand it to the query, where a parameter stands.
 */
export function compileOnce<Schema, Values extends Readonly<Record<string, unknown>>, Row>(
  build: (db: Kysely<Schema>, values: Values) => Compilable<Row>,
): (db: Kysely<Schema>, values: Values) => Promise<QueryResult<Row>> {
  const compiled = new WeakMap<object, CompiledQuery<Row>>()

  function compile(db: Kysely<Schema>, values: Values): CompiledQuery<Row> {
    const { adapter } = db.getExecutor()
    const known = compiled.get(adapter)
    if (known !== undefined) return known
    const names = Object.keys(values).map((name) => [name, new Placeholder(name)])
    const query = build(db, Object.fromEntries(names)).compile()
    compiled.set(adapter, query)
    return query
  }

  return (db, values) => {
    const query = compile(db, values)
    const parameters = query.parameters.map((value) =>
      value instanceof Placeholder ? values[value.name] : value,
    )
    return db.executeQuery<Row>({ ...query, parameters })
  }
}
