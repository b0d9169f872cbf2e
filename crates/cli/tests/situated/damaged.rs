//! The properties of files that cargo-fuzz searches, tried on a fixed set of damaged ones.

#[path = "../../../../fuzz/src/damage.rs"]
pub mod damage;
#[path = "../../../../fuzz/src/files.rs"]
pub mod fuzz;

const FILES: [&str; 4] = [
    include_str!("../../../../examples/find_goals_team.toml"),
    "environment = 'bw4t'\nsteps = 100\npace = 'lockstep'\npatience = 2.5\n[parameters]\nmap = 'Rainbow'\nrobots = 3\n\
     [[agents]]\ntype = 'bot'\ncount = 2\nprogram = 'builtin'\n\
     [[agents]]\nprogram = { command = ['python3', 'agent.py'] }\n",
    "act = 'a-token-to-act-with'\nmanage = ['a-token-to-manage-with', 'another-to-manage-with']\n",
    "observe = '0123456789abcdef0123456789abcdef'\nhost = []\n",
];

#[test]
fn damaged_files() {
    damage::try_damaged(&FILES, 20_000, fuzz::file);
}
