// SPDX-License-Identifier: Apache-2.0
// Every test that docs/promises.md names has to exist: prints those that do not, with where they
// were looked for. A line of the page is "- `file`: `test`, `test`".
import fs from 'node:fs';

const root = new URL('../../', import.meta.url);
const page = fs.readFileSync(new URL('docs/promises.md', root), 'utf8');
const sections = page.split(/^## /m).slice(1);

for (const section of sections) {
  const [title] = section.split('\n');
  const lines = section.split('\n').filter(line => line.startsWith('- '));
  if (!lines.length) console.log(`no test shows "${title}"`);
  for (const line of lines) {
    const [file, ...tests] = [...line.matchAll(/`([^`]+)`/g)].map(match => match[1]);
    const path = new URL(file, root);
    if (!fs.existsSync(path)) {
      console.log(`${title}: there is no ${file}`);
      continue;
    }
    const source = fs.readFileSync(path, 'utf8');
    if (!tests.length) console.log(`${title}: ${file} is named without a test`);
    const end = file.endsWith('.c') ? '(' : '';
    for (const test of tests) if (!source.includes(test + end)) console.log(`${title}: ${file} has no "${test}"`);
  }
}
