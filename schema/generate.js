// Writes cms.config.schema.json from the definition in src/config/schema, and what authors of modules import from src/module. Run by
// `npm run schema`.
import { mkdirSync, writeFileSync } from 'node:fs'
import { configSchema } from '#config/schema.ts'
import { moduleFiles } from './module-files.js'

writeFileSync(new URL('cms.config.schema.json', import.meta.url), `${JSON.stringify(configSchema, null, 2)}\n`)
mkdirSync(new URL('module/', import.meta.url), { recursive: true })
for (const [name, text] of moduleFiles()) writeFileSync(new URL(`module/${name}`, import.meta.url), text)
