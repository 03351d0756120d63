import { failureOf, startGit } from '../process.ts'
import type { Repository } from '../repository.ts'

/** The paths of this command are patterns. */
const ENV = { GIT_LITERAL_PATHSPECS: '0' }
const ARGS = [
  'log',
  '--all',
  '--reflog',
  '-m',
  '-p',
  '-U0',
  '--root',
  '--format=',
  '--no-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--text',
]

/**
 * Returns those of the words that are in a file of the pattern in any commit which a ref, a stash or a reflog leads to. Words are
 * hex digits, all of one length, between other characters.
 */
export function namedInHistory({ top }: Repository, pattern: string, words: ReadonlySet<string>): Promise<Set<string>> {
  const [first = ''] = words
  const word = new RegExp(`[0-9a-f]{${first.length}}`, 'g')
  return new Promise((resolve, reject) => {
    const child = startGit(top, [...ARGS, '--', `:(top,icase,glob)${pattern}`], ENV)
    const found = new Set<string>()
    let [rest, stderr] = ['', '']
    child.stdout.setEncoding('latin1').on('data', (piece: string) => {
      const text = rest + piece
      for (const [one] of text.matchAll(word)) if (words.has(one)) found.add(one)
      // A word may go on in the next piece.
      rest = text.slice(-first.length)
    })
    child.stderr.on('data', (piece: Buffer) => {
      stderr = `${stderr}${piece}`.slice(-2000)
    })
    child.on('error', reject)
    child.stdin.on('error', () => undefined)
    child.on('close', (code) => (code === 0 ? resolve(found) : reject(failureOf('log', code, stderr))))
    child.stdin.end()
  })
}
