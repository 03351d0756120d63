import t from 'tap'
import { isLong } from '#support/long.ts'
import { COURSES } from './courses.ts'
import { SHAPES } from './shapes.ts'

/**
 * The cases that once took time with the square of the text, by course and shape, with a size that takes some milliseconds. `npm
 * run test:growth` looks for more.
 */
const MENDED: readonly (readonly [course: string, shape: string, size: number])[] = [
  ['markdown: to HTML', 'equal headings', 8],
  ['markdown: to HTML', 'empty headings', 8],
  ['markdown: to HTML', 'underlines', 8],
  ['markdown: to HTML', 'headings that take each other’s ids', 8],
  ['site: HTML cleaned', 'tags in tags', 64],
  ['import: HTML', 'tags left open', 64],
  ['yaml: set fields that are there', 'a block of spaces', 4],
  ['query: an e-mail address', 'spaces between', 4],
  ['query: an id', 'marks out of order', 16],
  ['markdown: looked into by a filter', 'marks out of order', 16],
  ['markdown: words', 'marks out of order', 16],
  ['yaml: read', 'blank lines with spaces', 16],
  ['toml: read', 'blank lines', 16],
  ['markdown: read', 'heading of spaces', 4],
  ['yaml: set fields that are there', 'tags of a record', 4],
  ['yaml: set all terms but one', 'different tags', 8],
  ['yaml: terms in the words of the file', 'different tags', 8],
  ['yaml: the other names of a term', 'different tags', 32],
  ['yaml: the items of a menu', 'items of a menu that say the same', 2],
  ['yaml: read', 'digits and a letter', 2],
  ['yaml: read', 'aliases', 2],
  ['yaml: read', 'merges', 4],
  ['yaml: read', 'merges of a list', 2],
  ['yaml: read', 'merges in a chain', 4],
  ['yaml: read', 'merges of a large map', 4],
  ['yaml: read', 'anchors that hold each other', 4],
  ['template: parsed', 'lines of a tag', 64],
  ['markdown: syntax of other tools', 'blank lines', 8],
  ['markdown: syntax of other tools', 'line separators', 2],
  ['site: links in double brackets to HTML', 'wikilinks', 16],
  ['site: links in double brackets to HTML', 'wikilinks that do not end', 16],
  ['site: links in double brackets to HTML', 'links in double brackets', 16],
  ['site: links in double brackets to HTML', 'bars in double brackets', 16],
  ['site: links in double brackets to HTML', 'embeds that do not end', 16],
  ['site: links in double brackets found', 'wikilinks', 16],
  ['site: links in double brackets found', 'wikilinks that do not end', 16],
  ['site: links in double brackets found', 'links in double brackets', 16],
  ['site: links in double brackets found', 'bars in double brackets', 16],
  ['site: links in double brackets found', 'embeds that do not end', 16],
]

/** Eight times the text: n log n takes 11 times as long, the square 64 times. */
const TIMES = 8
const MOST_GROWTH = 28
const TRIES = 4

for (const [name, shape, size] of isLong ? MENDED : MENDED.filter((_, n) => n % 6 === 0)) {
  t.test(`${name}, ${shape}: takes no longer than in proportion`, async (t) => {
    const course = COURSES.find((known) => known.name === name)
    const texts = course && SHAPES[course.kind].find((known) => known.name === shape)
    if (!course || !texts) return t.fail('there is no such course or shape')
    const [small, large] = [course.prepare(texts.of(size * 1024)), course.prepare(texts.of(TIMES * size * 1024))]
    // Another process, or collecting garbage, only adds to a time: one good try says all.
    const growths: number[] = []
    do {
      small()
      growths.push(milliseconds(large) / milliseconds(small))
    } while (Math.min(...growths) > MOST_GROWTH && growths.length < TRIES)
    t.ok(Math.min(...growths) <= MOST_GROWTH, `grows ${Math.min(...growths).toFixed(1)} times with ${TIMES} times the text`)
  })
}

function milliseconds(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return Math.max((user + system) / 1000, 1)
}
