import { createTextIndex } from '../dist/fts/text-index.js';
import { naturalText } from './support/natural-text.mjs';
const { messages } = naturalText(40000); const ms=messages.slice(0,40000);
const cpu=()=>{const u=process.cpuUsage();return (u.user+u.system)/1000};
const N=+(process.argv[2]??5); const out=[];
for(let i=0;i<N;i++){ globalThis.gc?.(); const c=cpu(); const w=performance.now(); const index=createTextIndex({columns:['content'], ...(process.argv[3]?{extended:false}:{})}); ms.forEach((content,id)=>void index.put(id,{content})); out.push([cpu()-c,performance.now()-w].map(x=>x.toFixed(0)).join('/')); }
console.log(out.join(' '));
