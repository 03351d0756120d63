import { Writable } from 'node:stream'
import fc from 'fast-check'
import t from 'tap'
import { Output, table } from '#cli/output.ts'
import { visible } from '#lib/text/visible.ts'

/** A stream that keeps what is written to it; a terminal where that is said. */
function kept(isTTY: boolean) {
  const texts: string[] = []
  const stream = new Writable({ write: (text: Buffer, _, done) => done(void texts.push(text.toString())) })
  return { stream: Object.assign(stream, { isTTY }), text: () => texts.join('') }
}

function speaking(isTTY: boolean, json = false) {
  const [out, err] = [kept(isTTY), kept(isTTY)]
  return { output: new Output(out.stream, err.stream, { json, quiet: false, verbose: true, color: true }), out, err }
}

const NASTY = 'a\u001b]0;x\u0007\u001b[2Jb\u009b31mc\u007f\rd\u202ee\u2066f\u0000'
const SEEN = 'a\\u001b]0;x\\u0007\\u001b[2Jb\\u009b31mc\\u007f\\u000dd\\u202ee\\u2066f\\u0000'
const ODD = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u

t.test('what an author wrote is seen, and no terminal obeys it', async (t) => {
  for (const isTTY of [true, false]) {
    const { output, out, err } = speaking(isTTY)
    output.print(`${NASTY}\n\ttext\r\nmore`)
    t.equal(out.text(), `${SEEN}\n\ttext\r\nmore\n`)
    output.say(NASTY)
    output.detail(NASTY)
    output.complain(NASTY)
    output.warn({ message: NASTY, hint: NASTY, file: 'a.md' })
    t.notMatch(err.text().replaceAll('\u001b[33m', '').replaceAll('\u001b[39m', '').replaceAll('\n', ''), ODD)
    t.equal(err.text().split(SEEN).length, 6)
  }
})

t.test('styles are ours alone', async (t) => {
  const { output, out } = speaking(true)
  output.print(output.paint('red', `${NASTY}\u001b[1m\u0001[1m`, 'stdout'))
  t.equal(out.text(), `\u001b[31m${SEEN}\\u001b[1m\\u0001[1m\u001b[39m\n`)
  const plain = speaking(false)
  plain.output.print(table([[plain.output.paint('bold', 'x', 'stdout'), NASTY]]))
  t.equal(plain.out.text(), `x  ${SEEN}\n`)
})

t.test('--json is JSON of the same value, without a sign that a terminal obeys', async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: fc.oneof(fc.constantFrom(...NASTY, '"', '\\', '\ud800', 'é', '漢'), fc.string()) }), (text) => {
      const { output, out } = speaking(true, true)
      output.document({ [text]: [text] })
      t.same(JSON.parse(out.text()), { [text]: [text] })
      return !ODD.test(out.text().trimEnd())
    }),
  )
  t.equal(visible('ordinary é 漢\n\ttext'), 'ordinary é 漢\n\ttext')
})
