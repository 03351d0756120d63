const PARTS = /\*\*\/|\*\*|\*|\?|\{[^{}]*\}|\[!?[^\]]+\]|[^*?{[]+|[{[]/g

/**
 * Returns a pattern for the paths (with `/`) that a glob matches: `*` and `?` within a folder, `**` across folders, `{a,b}`,
 * `[abc]`.
 */
export function globPattern(glob: string): RegExp {
  const parts = glob.match(PARTS) ?? []
  return new RegExp(`^${parts.map(patternOf).join('')}$`, 'u')
}

function patternOf(part: string): string {
  if (part === '**/') return '(?:[^/]+/)*'
  if (part === '**') return '.*'
  if (part === '*') return '[^/]*'
  if (part === '?') return '[^/]'
  if (/^\{.*\}$/.test(part)) return `(?:${part.slice(1, -1).split(',').map(plain).join('|')})`
  const among = /^\[(!?)(.+)\]$/.exec(part)
  return among ? `[${among[1] ? '^/' : ''}${among[2]?.replaceAll(/[\\\]^[]/g, '\\$&')}]` : plain(part)
}

function plain(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
