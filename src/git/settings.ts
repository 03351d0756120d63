import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { EndingSettings } from './files/line-endings.ts'
import { git, gitText } from './process.ts'

/** The settings of a repository that say what git keeps of a file. */
export interface KeepingSettings {
  /** The file that `core.attributesFile` names, absolute. */
  readonly attributes?: string
  readonly endings: EndingSettings
}

/** The exit code of `git config` where none of the names is set. */
const NONE_SET = 1
const NAMES = '^core\\.(attributesfile|autocrlf|eol)$'

/**
 * Reads the settings of the repository whose working tree is at `top`, wherever they are set. Throws GitFailure where git can't
 * read them: other line endings than the author's would be committed.
 */
export async function readSettings(top: string): Promise<KeepingSettings> {
  const text = (await git(top, ['config', '-z', '--get-regexp', NAMES], { accept: [NONE_SET] })).toString('utf8')
  const values = new Map(
    text.split('\0').map((one): [string, string | undefined] => {
      const end = one.indexOf('\n')
      return end < 0 ? [one, undefined] : [one.slice(0, end), one.slice(end + 1)]
    }),
  )
  const attributes = await attributesFile(top, values.get('core.attributesfile') ?? '')
  const eol = values.get('core.eol')?.toLowerCase()
  return {
    ...(attributes !== '' && { attributes: resolve(top, attributes) }),
    endings: {
      autocrlf: values.has('core.autocrlf') ? autocrlfOf(values.get('core.autocrlf')) : 'false',
      eol: eol === 'lf' || eol === 'crlf' ? eol : 'native',
    },
  }
}

/** A path of the home folder of another user, or of git's own, is for git to find. */
async function attributesFile(top: string, path: string): Promise<string> {
  if (path.startsWith('~/')) return join(homedir(), path.slice(2))
  if (!/^[~%]/.test(path)) return path
  return gitText(top, ['config', '--type=path', '--get', 'core.attributesFile']).catch(() => '')
}

/** A name without a value is true, an empty value false. */
function autocrlfOf(value = 'true'): EndingSettings['autocrlf'] {
  if (value.toLowerCase() === 'input') return 'input'
  return /^(?:true|yes|on|[+-]?0*[1-9]\d*)$/i.test(value) ? 'true' : 'false'
}
