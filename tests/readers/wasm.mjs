// Opens a release in duckdb-wasm, without a network: every CSV as a table with the types of
// its schema, then every view. Prints the number of rows of each as JSON.
//   node wasm.mjs RELEASE NODE_MODULES
import { createRequire } from "node:module";
import fs from "node:fs";
import path from "node:path";

const [release, modules] = process.argv.slice(2).map((p) => path.resolve(p));
const require = createRequire(path.join(modules, "anchor.js"));
const duckdb = require("@duckdb/duckdb-wasm/dist/duckdb-node-blocking.cjs");
const dist = path.join(modules, "@duckdb", "duckdb-wasm", "dist");
const db = await duckdb.createDuckDB(
  { mvp: { mainModule: path.join(dist, "duckdb-mvp.wasm"), mainWorker: "" }, eh: { mainModule: path.join(dist, "duckdb-eh.wasm"), mainWorker: "" } },
  new duckdb.VoidLogger(),
  duckdb.NODE_RUNTIME,
);
await db.instantiate();
const connection = db.connect();
const TYPES = { string: "VARCHAR", number: "DOUBLE", integer: "BIGINT", boolean: "BOOLEAN" };
const descriptor = JSON.parse(fs.readFileSync(path.join(release, "datapackage.json"), "utf8"));
const counts = {};
const count = (name) => (counts[name] = Number(connection.query(`SELECT COUNT(*) AS n FROM "${name}"`).toArray()[0].n));
for (const resource of descriptor.resources) {
  const schema = JSON.parse(fs.readFileSync(path.join(release, resource.schema), "utf8"));
  const columns = schema.fields.map((f) => `'${f.name}': '${TYPES[f.type]}'`).join(", ");
  db.registerFileBuffer(`${resource.name}.csv`, new Uint8Array(fs.readFileSync(path.join(release, resource.path))));
  connection.query(
    `CREATE TABLE "${resource.name}" AS SELECT * FROM read_csv('${resource.name}.csv', header = true, auto_detect = false, delim = ',', quote = '"', escape = '"', columns = {${columns}})`,
  );
  count(resource.name);
}
for (const view of descriptor["cardbook:views"]) {
  connection.query(`CREATE VIEW "${view.name}" AS ${fs.readFileSync(path.join(release, view.path), "utf8")}`);
  count(view.name);
}
const [version] = connection.query("SELECT version() AS v").toArray();
const [wall] = connection.query("SELECT SUM(wall_tok_s) AS total FROM efficiency").toArray();
console.log(JSON.stringify({ version: version.v, counts, wall: wall.total }));
