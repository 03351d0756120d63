import { isObject } from '#frontmatter/changes.ts'
import { yesOrNo } from '#frontmatter/other-tools.ts'
import { configOf, textsOf } from './files.ts'

/** Returns how files match that are of a language in which Hugo does not make the site. */
export async function leftOutByLanguage(path: string, name: string): Promise<((file: string) => boolean)[]> {
  const config = await configOf(path, ['languages', 'disableLanguages', 'disabledLanguages'])
  const languages = name.startsWith('languages.') ? config : isObject(config.languages) ? config.languages : {}
  const said = [...textsOf(config.disableLanguages), ...textsOf(config.disabledLanguages)].flatMap((text) => text.split(/[\s,]+/))
  const isDisabled = (language: string) => {
    const settings = languages[language]
    return said.includes(language) || (isObject(settings) && yesOrNo(settings.disabled) === true)
  }
  return [...new Set([...said, ...Object.keys(languages)])].filter(isDisabled).map((language) => {
    const settings = languages[language]
    const folders = isObject(settings) ? textsOf(settings.contentDir) : []
    const ending = `.${language.toLowerCase()}`
    return (file) =>
      file
        .toLowerCase()
        .replace(/\.\w+$/, '')
        .endsWith(ending) || folders.some((folder) => file.startsWith(`${folder}/`))
  })
}
