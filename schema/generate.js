// Writes cms.config.schema.json from the built definition in dist/. Run by `npm run schema`.
import { writeFileSync } from 'node:fs'
import { configSchema } from '../dist/config/schema.js'

writeFileSync(new URL('cms.config.schema.json', import.meta.url), `${JSON.stringify(configSchema, null, 2)}\n`)
