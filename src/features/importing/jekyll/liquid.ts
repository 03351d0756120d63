/** A tag or an expression of Liquid; of a comment that is a tag, what it begins with. */
const MARK =
  /\{%-?\s{0,20}(#)|\{%-?\s{0,20}(\w{1,60})((?:(?!%\})[^\n]){0,300}?)\s{0,20}-?%\}|\{\{-?((?:(?!\}\})[^\n]){0,300}?)-?\}\}/g

/** Tags around what is as it stands, around what nobody sees, and around code. */
const AROUND: ReadonlySet<string> = new Set(['raw', 'comment', 'highlight'])

/** Conditions that are never so, and words in others of what not everyone sees. */
const NEVER = /^(?:(?:if|elsif)\s+(?:false|nil|null|0\s*==\s*1|1\s*==\s*0)|unless\s+true)\b/
const CLOSED =
  /(?:^|[^a-z])(?:environment|env|drafts?|show_drafts|preview|debug|dev|development|private|members?|users?|login|logged|admins?|secrets?|hidden|internal|wip|password|paid|premium|subscribers?)(?![a-z])/i
const HIDES = 'conditions of templates hid parts of them'

/** Resolves what a text names. */
export interface Naming {
  /** The file of a post, from `content/` with a `/` before it, by the name that `post_url` has. */
  postUrl(name: string): string | undefined
  /** The address of a file of the source, by its path. */
  link(path: string): string | undefined
  /** The text of `page.title` and the like. */
  page(name: string): string | undefined
  /** The text of `site.title` and the like, where the configuration has it. */
  site?(name: string): string | undefined
}

/** A text without Liquid, as far as that is certain, and the names of what is left of it. */
export interface Converted {
  readonly body: string
  readonly left: readonly string[]
  /** The reason why not all of it was shown to everyone, where a condition tells that. */
  readonly hides?: string
}

/** A tag around a text that has no end yet; `depth` counts the comments within each other. */
interface Around {
  readonly tag: string
  readonly args: string
  readonly start: number
  readonly end: number
  depth: number
  /** The offset behind the last tag that may be its end. */
  last?: number
}

/** Converts the Liquid of a text of Jekyll, in code too: Jekyll runs it there. */
export function withoutLiquid(text: string, naming: Naming): Converted {
  if (!/\{[{%]/.test(text)) return { body: text, left: [] }
  const left = new Set<string>()
  let [body, from] = ['', 0]
  let around: Around | undefined
  let hides: string | undefined
  for (const match of text.matchAll(MARK)) {
    const [mark, note, tag, args = '', expression] = match
    const end = match.index + mark.length
    if (match.index < from) continue
    if (around) {
      if (around.tag === 'comment' && tag === 'comment') around.depth++
      if (tag !== `end${around.tag}`) continue
      around.last = end
      if (--around.depth > 0) continue
      body += text.slice(from, around.start) + within(around, text.slice(around.end, match.index))
      from = end
      around = undefined
    } else if (note !== undefined) {
      const close = text.indexOf('%}', end)
      if (close < 0) break
      body += text.slice(from, match.index)
      from = close + '%}'.length
    } else if (tag !== undefined && AROUND.has(tag)) around = { tag, args, start: match.index, end, depth: 1 }
    else {
      if (tag !== undefined && isClosing(tag, args)) hides = HIDES
      const made = tag === undefined ? plainValue(expression ?? '', naming) : madeOf(tag, args, naming)
      if (made === undefined && !/^(?:end|els)/.test(tag ?? '')) left.add(tag ?? nameOf(expression ?? ''))
      body += text.slice(from, match.index) + (made ?? mark)
      from = end
    }
  }
  // Eleventy's comments are not within each other: the first end is that of all.
  if (around?.tag === 'comment' && around.last !== undefined) {
    const rest = withoutLiquid(text.slice(around.last), naming)
    return {
      body: body + text.slice(from, around.start) + rest.body,
      left: [...new Set([...left, ...rest.left])],
      ...reasonOf(hides ?? rest.hides),
    }
  }
  if (around) left.add(around.tag)
  return { body: body + text.slice(from), left: [...left], ...reasonOf(hides) }
}

function reasonOf(hides: string | undefined): { readonly hides?: string } {
  return hides === undefined ? {} : { hides }
}

/** Returns whether a condition may have kept from the public what it is around: here that is text as the rest is. */
function isClosing(tag: string, args: string): boolean {
  return /^(?:if|elsif|unless|case|when)$/.test(tag) && (NEVER.test(`${tag} ${args.trim()}`) || CLOSED.test(args))
}

function within({ tag, args }: { tag: string; args: string }, inner: string): string {
  if (tag === 'comment') return ''
  if (tag === 'raw') return inner
  const code = inner.replace(/\{%-?\s*(?:end)?raw\s*-?%\}/g, '')
  const longest = [...code.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 2)
  const fence = '`'.repeat(longest + 1)
  const language = args.trim().split(/\s/, 1)[0] ?? ''
  return `${fence}${language}\n${code.replace(/^[ \t]*\n|\n[ \t]*$/g, '')}\n${fence}`
}

function madeOf(tag: string, args: string, naming: Naming): string | undefined {
  if (tag === 'post_url') return naming.postUrl(args.trim())
  return tag === 'link' ? naming.link(args.trim()) : undefined
}

/** Returns the text of an expression that is the same wherever the site is. */
function plainValue(expression: string, naming: Naming): string | undefined {
  const [value = '', ...filters] = expression.split('|').map((part) => part.trim())
  if (filters.some((filter) => !/^(?:relative_url|absolute_url|url|prepend:\s*site\.(?:baseurl|url))$/.test(filter)))
    return undefined
  const [, quoted] = /^["']([^"']*)["']$/.exec(value) ?? []
  if (quoted !== undefined) return quoted.startsWith('/') || filters.length === 0 ? quoted : `/${quoted}`
  if (/^site\.(?:baseurl|url)$/.test(value)) return ''
  if (/^site\.github\.url$/.test(value)) return ''
  const [, of, name = ''] = /^(page|site)\.(\w+)$/.exec(value) ?? []
  return of === 'page' ? naming.page(name) : of === 'site' ? naming.site?.(name) : undefined
}

/** The value of an expression; of a text that is written out, the filter that it goes through. */
function nameOf(expression: string): string {
  const [value = '', filter = ''] = expression.split('|').map((part) => part.trim().split(/[\s:(]/, 1)[0] ?? '')
  return /^["']/.test(value) ? `{{ | ${filter} }}` : `{{ ${value} }}`
}
