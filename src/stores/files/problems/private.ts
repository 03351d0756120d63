import { relative } from 'node:path'
import type { HealthProblem } from '#core/backend.ts'
import type { Problem } from '#core/document.ts'
import { counted } from '#lib/text/counted.ts'
import type { PrivateTrust } from '../disk/private-trust.ts'

/** Number of files that are named; of more the number alone. */
const NAMED = 10

/** Returns a problem for each private file that git tracks, with its path from the site's root. */
export function privateProblems(trust: PrivateTrust, root: string): Problem[] {
  const files = trackedFiles(trust, root)
  const message = 'git tracks this private file, so it does not count: whoever may push could make accounts with it.'
  const problems = files.slice(0, NAMED).map((file): Problem => {
    const hint = `Where it is yours: git rm -r --cached ${file} — and commit that; it counts then. Where you don't know it: git rm -r -f ${file}`
    return { file, message, hint, severity: 'error' }
  })
  const rest = files.length - NAMED
  const [first = ''] = files
  if (rest > 0) problems.push({ file: first, message: `So it is with ${counted(rest, 'private file')} more.`, severity: 'error' })
  return problems
}

/** Reports whether git tracks anything private: whoever has the repository has it, and whoever may push to it may change it. */
export function secrets(trust: PrivateTrust, root: string): HealthProblem {
  const [first, ...others] = trackedFiles(trust, root)
  const name = 'secrets'
  if (first === undefined) return { name, state: 'ok', says: 'git tracks nothing private.' }
  const says = `git keeps ${first}${others.length > 0 ? ` and ${counted(others.length, 'other private file')}` : ''}: whoever has the repository has them, and they do not count here.`
  const hint =
    '`cms check` names them. Remove those that you don’t know: git rm -f. Keep yours: git rm -r --cached, commit that, and make tokens, keys and passwords anew, since they stay in the history.'
  return { name, state: 'todo', says, hint }
}

function trackedFiles(trust: PrivateTrust, root: string): string[] {
  trust.refresh()
  const files = trust.tracked().map((file) => relative(root, file).replaceAll('\\', '/'))
  return [...new Set(files)].sort()
}
