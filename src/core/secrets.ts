import type { Json } from '#lib/json.ts'

/** The forms of secrets that can be told from other texts, each with its name after "a". */
const FORMS: readonly (readonly [name: string, form: RegExp])[] = [
  ['token of Quire', /(?<![0-9A-Za-z])cms_[0-9A-Za-z]{20}/],
  ['token of GitHub', /(?<![0-9A-Za-z])(?:gh[oprsu]_[0-9A-Za-z]{20}|github_pat_[0-9A-Za-z_]{20})/],
  ['key of Stripe', /(?<![0-9A-Za-z])(?:[rs]k_live_|whsec_)[0-9A-Za-z]{10}/],
  ['token of Slack', /(?<![0-9A-Za-z])xox[a-z]-[0-9A-Za-z-]{10}/],
  ['key of AWS', /(?<![0-9A-Za-z])(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Za-z])/],
  ['private key', /-----BEGIN [0-9A-Z ]{0,40}PRIVATE KEY/],
]

/** Returns the name of a secret of a known form that a value holds, anywhere in it: `token of GitHub`. Undefined if none is seen. */
export function secretIn(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return FORMS.find(([, form]) => form.test(value))?.[0]
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, part] of Object.entries(value)) {
    const found = (Array.isArray(value) ? undefined : secretIn(key)) ?? secretIn(part)
    if (found) return found
  }
  return undefined
}
