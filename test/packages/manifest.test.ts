import t from 'tap'
import { PackageFault } from '#packages/fault.ts'
import { parseManifest } from '#packages/manifest.ts'

const WHOLE = `api: 1
name: contacts
version: 1.2.0
description: A form.
author: Mara
license: MIT
tags: [forms, mail]
cms: ">=0.1 <2"
main: index.js
permissions:
  - store
  - records:content:read@posts
  - http:api.example.org
  - mail
  - routes:/api/contacts
  - site
  - jobs
`

t.test('a manifest is read whole, with what it leaves out', async (t) => {
  t.match(parseManifest(WHOLE), { name: 'contacts', version: '1.2.0', tags: ['forms', 'mail'], permissions: { length: 7 } })
  t.strictSame(parseManifest('api: 1\nname: contacts\nversion: 1.0.0-rc.1\n'), {
    ...{ api: 1, name: 'contacts', version: '1.0.0-rc.1', description: '', author: '', license: '' },
    ...{ tags: [], cms: '*', main: 'index.js', permissions: [] },
  })
})

t.test('what is wrong is said, with its line', async (t) => {
  const begin = 'api: 1\nname: contacts\nversion: 1.0.0\n'
  const cases: [text: string, says: RegExp, line?: number][] = [
    ['', /must be a map/],
    ['- a', /must be a map/],
    [`${begin}colour: red\n`, /There is no key "colour"/, 4],
    [`${begin}__proto__: {}\n`, /"__proto__" is not allowed/, 4],
    [`${begin}constructor: a\n`, /"constructor" is not allowed/, 4],
    [`${begin}tags: [&a x, *a]\n`, /Aliases/, 4],
    [`${begin}name: other\n`, /unique/i, 4],
    [`${begin}tags: !x [a]\n`, /can't be read/, 4],
    [`${begin}tags: ${'['.repeat(900)}${']'.repeat(900)}\n`, /too deep/],
    [`${begin}tags:\n${' -'.repeat(900)} a\n`, /too deep/],
    [`${begin}description: ${'x'.repeat(20_000)}\n`, /over 16 KiB/],
    [`${begin}description: "a\\nb"\n`, /one line/, 4],
    [`${begin}cms: about two\n`, /no range/, 4],
    [`${begin}main: ../other.js\n`, /leads out/, 4],
    [`${begin}main: index.ts\n`, /no JavaScript/, 4],
    [`${begin}permissions: [root]\n`, /not a permission/, 4],
    [`${begin}permissions: ['http:*']\n`, /not a permission/, 4],
    [`${begin}permissions: ['routes:/admin']\n`, /not a permission/, 4],
    ['api: 2\nname: contacts\nversion: 1.0.0\n', /another major/, 1],
    ['api: 1\nname: Contacts\nversion: 1.0.0\n', /no name/, 2],
    ['api: 1\nname: contacts\nversion: 1.0\n', /must be a text/, 3],
    ['api: 1\nname: contacts\nversion: v1.0.0\n', /no version/, 3],
    ['api: 1\nname: contacts\n', /"version" is missing/],
  ]
  for (const [text, says, line] of cases) {
    const found = faultOf(text)
    t.match(found?.message, says, text.slice(0, 80))
    if (line !== undefined) t.equal(found?.line, line, text.slice(0, 80))
  }
})

function faultOf(text: string): PackageFault | undefined {
  try {
    parseManifest(text)
    return undefined
  } catch (error) {
    if (error instanceof PackageFault) return error
    throw error
  }
}
