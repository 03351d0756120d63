import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import t from 'tap'
import { editSource } from '../../src/core/format/edit.ts'
import { readDocument } from '../../src/core/format/read.ts'
import type { Fields } from '../../src/core/json.ts'
import { key, md, newValue, shape, written } from './front-matter.ts'

const read = (text: string | Buffer, form = md) => readDocument(key, shape, Buffer.from(text), form, 'content/posts/x.md')
const edit = (text: string, set: Fields, form = md) => editSource(shape, Buffer.from(text), form, { set }, key).toString()

t.test('an edit touches the lines of its key alone, and reads back as what was set', async (t) => {
  fc.assert(
    fc.property(written, newValue, (file, value) => {
      const before = read(file.text)
      if (before.problem?.severity === 'error') throw new Error(`not readable: ${before.problem.message}`)
      const wanted = file.key === 'title' ? (typeof value === 'object' ? 'plain text' : String(value) || 'x') : value
      const after = edit(file.text, { [file.key]: wanted })
      if (!after.startsWith(file.before) || !after.endsWith(file.after)) throw new Error(`noise:\n${after}`)
      const again = read(after)
      deepStrictEqual(again.fields, { ...before.fields, [file.key]: JSON.parse(JSON.stringify(wanted)) })
      deepStrictEqual(again.body, before.body)
    }),
    { numRuns: 1500 },
  )
  t.pass('held')
})

t.test('a save that changes nothing leaves every byte', async (t) => {
  fc.assert(
    fc.property(written, ({ text }) => {
      const { fields, body } = read(text)
      const same = editSource(shape, Buffer.from(text), md, { set: { ...fields }, body }, key)
      return same.equals(Buffer.from(text))
    }),
    { numRuns: 500 },
  )
  t.pass('held')
})

t.test('removing a key takes its lines and nothing else', async (t) => {
  fc.assert(
    fc.property(
      // A blank line after `|+` is the value's.
      written.filter(({ syntax, key: name, text }) => syntax !== 'json' && name !== 'title' && !text.includes('|+')),
      (file) => {
        const isNull = read(file.text).fields[file.key] === null
        deepStrictEqual(edit(file.text, { [file.key]: null }), isNull ? file.text : file.before + file.after)
      },
    ),
    { numRuns: 500 },
  )
  t.pass('held')
})
