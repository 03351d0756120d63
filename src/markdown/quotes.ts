/** The quotes of languages, double ones first. */
const QUOTES: Readonly<Record<string, readonly [string, string, string, string]>> = {
  cs: ['„', '“', '‚', '‘'],
  da: ['»', '«', '›', '‹'],
  de: ['„', '“', '‚', '‘'],
  es: ['«', '»', '“', '”'],
  fi: ['”', '”', '’', '’'],
  fr: ['«\u00a0', '\u00a0»', '‹\u00a0', '\u00a0›'],
  it: ['«', '»', '“', '”'],
  ja: ['「', '」', '『', '』'],
  pl: ['„', '”', '«', '»'],
  pt: ['«', '»', '“', '”'],
  ru: ['«', '»', '„', '“'],
  sv: ['”', '”', '’', '’'],
  uk: ['«', '»', '„', '“'],
}
const ENGLISH = ['“', '”', '‘', '’']

/** The quotes of a language by its tag (`de-AT`); those of English where no others are known. */
export function quotesOf(locale: string): readonly string[] {
  const language = locale.toLowerCase().split(/[-_]/, 1)[0] ?? ''
  if (locale.toLowerCase() === 'de-ch') return ['«', '»', '‹', '›']
  return Object.hasOwn(QUOTES, language) ? (QUOTES[language] ?? ENGLISH) : ENGLISH
}
