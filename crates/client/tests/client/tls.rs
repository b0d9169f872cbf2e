//! Encrypted connections.

use std::path::PathBuf;

use situated_client::Client;
use situated_server::{Settings, TlsFiles};
use situated_wire::methods::Ping;

use crate::server::TestServer;

/// Creates a folder with a certificate that the system does not trust.
fn self_signed() -> (PathBuf, TlsFiles) {
    let folder = std::env::temp_dir().join(format!("situated-client-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("it can be written");
    let signed = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("it can be signed");
    let files = TlsFiles { certificate: folder.join("certificate.pem"), key: folder.join("key.pem") };
    std::fs::write(&files.certificate, signed.cert.pem()).expect("it can be written");
    std::fs::write(&files.key, signed.signing_key.serialize_pem()).expect("it can be written");
    (folder, files)
}

#[tokio::test]
async fn encrypts_connections_with_a_trusted_certificate() {
    let (folder, files) = self_signed();
    let server = TestServer::with(Settings { tls: Some(files.clone()), ..Settings::default() });
    let port = server.address.port();
    for address in [format!("wss://localhost:{port}"), format!("tls://localhost:{port}")] {
        let stranger = Client::connect(&address).await.err().expect("it is not trusted");
        assert!(stranger.to_string().contains("certificate"), "{stranger}");
        let client = Client::connect(&address).trust(&files.certificate).await.expect("it is trusted");
        client.call(Ping {}).await.expect("it is answered");
    }
    std::fs::remove_dir_all(folder).expect("it is there");
}
