// odata2ts: a typed client generated from $metadata, compiled by the strict TypeScript compiler, and run.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { base, scratch, token, unique } from "./foundation.mjs";

const run = promisify(execFile);
const here = fileURLToPath(new URL(".", import.meta.url));

async function metadata() {
  const answer = await fetch(`${base}/$metadata`, { headers: { Authorization: `Bearer ${token}` } });
  assert.equal(answer.status, 200);
  return answer.text();
}

/** A folder with the metadata, the program and the packages both need. It is named by the metadata, so equal ones are generated once. */
async function workplace(csdl) {
  const folder = join(scratch, `odata2ts-${createHash("sha256").update(csdl).digest("hex").slice(0, 16)}`);
  if (!existsSync(folder)) {
    await mkdir(folder);
    await writeFile(join(folder, "metadata.xml"), csdl);
    await cp(join(here, "odata2ts"), folder, { recursive: true });
    await symlink(join(here, "node_modules"), join(folder, "node_modules"));
  }
  return folder;
}

/** Runs the generator; its comments are left out, which makes it several times faster. */
async function generate(folder) {
  await writeFile(join(folder, "odata2ts.config.js"), "module.exports = { skipComments: true };\n");
  const cli = join("node_modules", "@odata2ts", "odata2ts", "lib", "run-cli.js");
  const args = [
    cli,
    "--source",
    "metadata.xml",
    "--output",
    "generated",
    "--mode",
    "service",
    "--emit-mode",
    "ts",
    "--service-name",
    "Almoner",
  ];
  return run(process.execPath, args, { cwd: folder });
}

async function compile(folder) {
  return run(process.execPath, [join("node_modules", "typescript-native", "bin", "tsc"), "--project", "."], { cwd: folder }).catch(
    (error) => {
      assert.fail(`the generated client does not compile:\n${error.stdout}`);
    },
  );
}

test("the client generated from $metadata compiles and works", async (t) => {
  const folder = await workplace(await metadata());
  const compiled = join(folder, "compiled", "program.js");
  if (!existsSync(compiled)) {
    await t.test("generates without a warning", async () => {
      const { stdout, stderr } = await generate(folder);
      assert.equal(stderr, "");
      assert.match(stdout, /Successfully finished!/);
      assert.doesNotMatch(stdout, /warn|error|fail|unknown/i);
    });
    await t.test("compiles", async () => {
      await compile(folder);
    });
  }
  const program = createRequire(import.meta.url)(compiled);
  const lastname = unique("Typed");
  const seen = await program.run(base, token, lastname);
  assert.deepEqual([seen.names, seen.count], [[`Typed ${lastname}`], 1]);
  assert.equal(seen.jobtitle, "Compiler");
  assert.equal(seen.primary, lastname);
  assert.match(seen.member, /^[0-9a-f-]{36}$/);
  assert.match(seen.user, /^[0-9a-f-]{36}$/);
  assert.equal(seen.left, 0);
});
